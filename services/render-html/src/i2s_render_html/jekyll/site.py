"""The files of a site: which Jekyll must build, which it may read, and the configuration that is fixed."""

from __future__ import annotations

import re
from collections.abc import Mapping

from i2s_chassis.jail import PolicyEvent, PolicyKind
from i2s_render_html.jekyll.model import JekyllSettings

# Names of which Jekyll is known to make the same name. It leaves out those that begin with ".", "_",
# "#" or "~" or end with "~" or ".", and rewrites others, such as "a..b" and "a%20b".
_PLAIN_PART = re.compile(r"[^\W_](?:(?:[\w +,@()!&=-]|\.(?!\.))*[\w+,@()!&=-])?")
_FRONT_MATTER = b"---"

# What Jekyll 4 excludes by default. It compares beginnings, so "Gemfile-notes.html" is left out too.
_EXCLUDED = (
    ".sass-cache",
    ".jekyll-cache",
    "gemfiles",
    "gemfile",
    "node_modules",
    "vendor/bundle",
    "vendor/cache",
    "vendor/gems",
    "vendor/ruby",
)


def needs_jekyll(files: Mapping[str, bytes]) -> bool:
    """Return whether Jekyll would make anything else of a site than a copy of it.

    False is certain; True may be over-careful. A file is only copied if it does not begin
    with front matter; Liquid in such a file is left alone. Configuration, layouts, includes, data
    and posts all lie in names that begin with "_".

    Args:
        files: Relative path to content.
    """
    return any(not _is_copied(path, content) for path, content in files.items())


def _is_copied(path: str, content: bytes) -> bool:
    return (
        not content.startswith(_FRONT_MATTER)
        and all(_PLAIN_PART.fullmatch(part) for part in path.split("/"))
        and not path.casefold().startswith(_EXCLUDED)
    )


Pin = str | bool | list[str] | Mapping[str, str | bool | list[str]]

_BUNDLER_FILES = frozenset({"gemfile", "gemfile.lock", "gems.rb", "gems.locked"})
_PLUGINS = "_plugins"


def pins(settings: JekyllSettings) -> dict[str, Pin]:
    """Return the configuration that overrides that of the site.

    Source and destination are pinned too, by whoever starts Jekyll, since they depend on the
    work folder.
    """
    return {
        "safe": True,
        "whitelist": list(settings.plugins),
        "plugins_dir": _PLUGINS,
        # A template of kramdown is ERB: Ruby code, in safe mode too.
        "kramdown": {"template": "", "forbidden_inline_options": ["template"]},
        # Else the plugin jekyll-gist asks the network for what only browsers without scripts show.
        "gist": {"noscript": False},
        "url": settings.origin,
        "baseurl": "",
        "cache_dir": ".jekyll-cache",
        "disable_disk_cache": True,
        "incremental": False,
        "keep_files": [],
        "profile": False,
        "watch": False,
        "serving": False,
    }


def without_code(files: Mapping[str, bytes]) -> tuple[dict[str, bytes], tuple[PolicyEvent, ...]]:
    """Return a site without the files that Ruby or Bundler would run, and one event for each of them."""
    kept: dict[str, bytes] = {}
    events: list[PolicyEvent] = []
    for path, content in files.items():
        if _is_code(path):
            events.append(PolicyEvent(PolicyKind.EXECUTE, f"{path} is left out: sites bring no code"))
        else:
            kept[path] = content
    return kept, tuple(events)


def _is_code(path: str) -> bool:
    first, _, below = path.casefold().partition("/")
    return (bool(below) and first == _PLUGINS) or path.casefold() in _BUNDLER_FILES or first == ".bundle"
