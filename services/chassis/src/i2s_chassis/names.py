"""Names of files that come from outside: which ones may lie in a work folder.

The rules are those of ``File.path`` in i2s/render/v1/render.proto. A set of names is also checked
for what could not be written: a name that stands twice, and a file where another name needs a folder.
"""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

MAX_PART_BYTES = 255
MAX_PATH_BYTES = 1024

_SHOWN = 80


@dataclass(frozen=True, slots=True)
class NameFault:
    """A name that is refused, and why.

    Attributes:
        name: The name made printable and cut to 80 characters.
        reason: Half a sentence that continues "the file name …".
    """

    name: str
    reason: str


def check_name(path: str) -> str | None:
    """Return why this relative path is refused, as in NameFault.reason; None if it is fine."""
    if not path:
        return "is empty"
    try:
        encoded = path.encode()
    except UnicodeEncodeError:
        return "is not valid Unicode"
    if len(encoded) > MAX_PATH_BYTES:
        return f"is longer than {MAX_PATH_BYTES} bytes"
    if any(unicodedata.category(character) == "Cc" for character in path):
        return "holds a control character"
    if "\\" in path:
        return "holds a backslash"
    if path.startswith("/"):
        return "is absolute"
    return next((reason for part in path.split("/") if (reason := _check_part(part))), None)


def _check_part(part: str) -> str | None:
    if not part:
        return "has an empty part"
    if part in {".", ".."}:
        return f'has the part "{part}"'
    if len(part.encode()) > MAX_PART_BYTES:
        return f"has a part longer than {MAX_PART_BYTES} bytes"
    return None


def check_names(paths: Iterable[str], reserved: Iterable[str] = ()) -> NameFault | None:
    """Return a name that is refused; None if all may lie in one folder.

    Args:
        paths: Names as they came.
        reserved: Names that are taken already, such as that of the document; never refused.
    """
    names = list(reserved)
    taken = len(names)
    for path in paths:
        if reason := check_name(path):
            return NameFault(shown(path), reason)
        names.append(path)
    # NUL sorts before all that a name may hold, so a file and what lies below it are neighbours.
    order = sorted((_folded(name).replace("/", "\0"), index) for index, name in enumerate(names))
    for (key, index), (next_key, next_index) in itertools.pairwise(order):
        first, second = names[min(index, next_index)], names[max(index, next_index)]
        if max(index, next_index) < taken:
            continue
        if key == next_key:
            return NameFault(shown(second), _twin(first, second))
        if next_key.startswith(key + "\0"):
            return NameFault(shown(second), f'and "{shown(first)}" need a file and a folder of one name')
    return None


def shown(name: str) -> str:
    """Return a name fit for a message: printable and at most 80 characters."""
    text = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in name[: _SHOWN + 1])
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def _twin(first: str, second: str) -> str:
    if first == second:
        return "stands twice or is reserved"
    return f'differs from "{shown(first)}" only in case or Unicode normalisation'


def _folded(path: str) -> str:
    """Return what all names have in common that a forgiving file system takes for the same.

    Canonical caseless matching: definition D145 of the Unicode Standard, section 3.13.
    """
    return unicodedata.normalize("NFD", unicodedata.normalize("NFD", path).casefold())
