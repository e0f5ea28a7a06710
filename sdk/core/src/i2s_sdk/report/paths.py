"""Texts without the paths of the machine that a run was made on."""

from __future__ import annotations

import re
import shlex
from pathlib import PurePath

#: An absolute path of two or more names, which is no part of an address or of a relative path.
_PATH = re.compile(r"(?<![\w:/.~<])~?/(?:[\w.@+-]+/)+[\w.@+-]*")


def without_paths(text: str) -> str:
    """Return a text in which only the last name of each absolute path is left."""
    return _PATH.sub(lambda found: f"…/{PurePath(found.group()).name}", text)


def shareable_model(name: str) -> str:
    """Return the name of a model without the folders of a program, its arguments and recorded answers."""
    kind, colon, line = name.partition(":")
    if not colon or kind not in ("command", "replay"):
        return name
    try:
        words = shlex.split(line) if kind == "command" else [line]
    except ValueError:
        words = line.split()
    own = [PurePath(word).name if _is_path(word) else without_paths(word) for word in words]
    return f"{kind}:{shlex.join(own) if kind == 'command' and len(own) > 1 else ' '.join(own)}"


def _is_path(word: str) -> bool:
    return word.startswith(("/", "~/", "../")) and len(PurePath(word).parts) > 1
