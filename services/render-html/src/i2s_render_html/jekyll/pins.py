"""What of a site is Jekyll's to read, and the configuration that no site can change."""

from __future__ import annotations

from collections.abc import Mapping

from i2s_chassis.jail import PolicyEvent, PolicyKind
from i2s_render_html.jekyll.model import JekyllSettings

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
