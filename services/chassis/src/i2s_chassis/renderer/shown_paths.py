"""Paths in messages: folders of the installation and of the sandbox say nothing to readers of an answer."""

from __future__ import annotations

import re
import sys

from i2s_chassis.jail.plan import WORK_IN_NAMESPACE

_INSTALLED = {"/usr/share", "/usr/lib", "/usr/local/lib", "/var/lib", sys.prefix, sys.base_prefix} - {
    "/",
    "/usr",
}
# A work folder, outside of namespaces one of a jail, and in it the folder of a job of a warm process.
_WORK = rf"(?:{WORK_IN_NAMESPACE}|(?:/[\w.-]{{1,100}}){{1,9}}/i2s-jail-\w+/[\w-]+)(?:/job\d+)?"
_PATH = re.compile(
    rf"(?<![\w./~-])(?:(?P<work>{_WORK})|{'|'.join(map(re.escape, sorted(_INSTALLED, reverse=True)))})"
    r"(?![\w.-])"
    # What ends a path in the messages of engines, beside white space.
    r"(?P<below>/[^\s'\"`:;,()<>]*)?"
)


def with_short_paths(text: str) -> str:
    """Return a message in which files of the installation and of the sandbox have their names alone."""
    return _PATH.sub(_name, text)


def _name(path: re.Match[str]) -> str:
    name = (path["below"] or "").rstrip("/").rpartition("/")[2]
    if path["work"]:
        return name or "."
    return name or path[0].rpartition("/")[2]
