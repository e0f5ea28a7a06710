"""Which sites Jekyll would only copy."""

from __future__ import annotations

import re
from collections.abc import Mapping

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
