r"""Declarations of a paper beside macros that a cut may need: colors, styles of TikZ, types of columns.

Such a declaration cannot be expanded. It is put before the cut if the cut uses what it declares, or if it
changes all plots and the cut is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from i2s_collect.tex.environments import PLOT, TABLE
from i2s_collect.tex.macros import Reading

#: The most declarations of a paper that are looked at for one cut, the latest first.
MAX_LOOKED_AT = 100
#: The longest declaration that is taken along, in characters.
MAX_CHARACTERS = 2_000

_STYLE = re.compile(
    r"(?P<name>[A-Za-z0-9][A-Za-z0-9 _\-]{0,60}?)\s{0,5}/\.(?:append |prefix )?(?:style|pic|code|cd)\b"
)
_STYLE_COMMANDS = frozenset({"tikzset", "pgfplotsset"})
_COMPATIBILITY = re.compile(r"\s*compat\s*=\s*[\w.]+\s*,?\s*")
_OLD_STYLE = re.compile(r"\s{0,20}\+?=\s{0,20}(?=\[)")
_COLUMNS = re.compile(
    r"\\(?:begin\s{0,5}\{(?:tabular[x*]?|tabulary|longtable|array)\}|multicolumn)(?P<columns>[^\n]{0,200})"
)
_AXIS = re.compile(r"\\begin\{(?:\w{0,20}axis|axis)\}")


@dataclass(frozen=True, slots=True)
class Declaration:
    """A declaration, and those before it."""

    #: Command that declares, without backslash.
    command: str
    #: Text of the declaration.
    text: str
    #: Names that it declares; none if it changes all plots.
    names: tuple[str, ...]
    #: The one before it that holds at the same place.
    before: Declaration | None


def read_declaration(
    word: str, position: int, start: int, reading: Reading, before: Declaration | None
) -> tuple[Declaration | None, int] | None:
    r"""Return the declarations that hold after a command, and where its arguments end.

    Args:
        word: The command, without backslash.
        position: Position after the command.
        start: Start of the command.
        reading: Where it is read.
        before: The declarations that hold before it.

    Returns:
        None if it is none, or its arguments cannot be read.
    """
    count = ARGUMENTS.get(word)
    if count is None:
        return None
    arguments: list[str] = []
    if word == "newcolumntype":
        first = reading.group(position)
        option = reading.bracket(first[1]) if first else None
        second = reading.group((option or first)[1]) if first else None
        if first is None or second is None:
            return None
        arguments, end = [first[0], second[0]], second[1]
    else:
        end = position
        if option := reading.bracket(position) if word == "definecolor" else None:
            end = option[1]
        for _ in range(count):
            group = reading.group(end)
            if group is None:
                return None
            arguments.append(group[0])
            end = group[1]
    if word == "tikzstyle":
        style = _OLD_STYLE.match(reading.text, end)
        value = reading.bracket(style.end()) if style else None
        if value is None:
            return None
        end = value[1]
    text = reading.text[start:end]
    if len(text) > MAX_CHARACTERS or "#" in arguments[0] or "@" in text:
        return before, end
    if word == "pgfplotsset" and _COMPATIBILITY.fullmatch(arguments[0]):
        return before, end
    return Declaration(word, text, _names(word, arguments), before), end


#: Number of braced arguments of each command that declares.
ARGUMENTS = {
    "definecolor": 3,
    "colorlet": 2,
    "tikzset": 1,
    "pgfplotsset": 1,
    "tikzstyle": 1,
    "newcolumntype": 2,
}


def _names(word: str, arguments: list[str]) -> tuple[str, ...]:
    if word not in _STYLE_COMMANDS:
        name = arguments[0].strip()
        return () if word == "tikzstyle" and name.startswith("every ") else (name,)
    body = arguments[0]
    names = tuple(found["name"].strip() for found in _STYLE.finditer(body))
    if any(name.startswith("every ") for name in names):
        return ()
    return names


def needed(text: str, subset: str, latest: Declaration | None) -> list[str]:
    """Return the declarations that a cut needs, in the order of the paper.

    Args:
        text: Text of the cut.
        subset: Subset of the cut.
        latest: The last declaration that holds where it stands.
    """
    open_ones = list(_usable(subset, text, latest))
    taken: list[int] = []
    reached = text
    while True:
        more = [
            number
            for number, declaration in open_ones
            if number not in taken and _is_used(declaration, subset, reached)
        ]
        if not more:
            break
        taken += more
        reached = "\n".join(declaration.text for number, declaration in open_ones if number in more)
    return [declaration.text for number, declaration in reversed(open_ones) if number in taken]


def _usable(subset: str, text: str, latest: Declaration | None) -> Iterator[tuple[int, Declaration]]:
    number = 0
    has_axis = subset == PLOT and bool(_AXIS.search(text))
    while latest is not None and number < MAX_LOOKED_AT:
        if latest.command != "pgfplotsset" or has_axis:
            yield number, latest
        latest, number = latest.before, number + 1


def _is_used(declaration: Declaration, subset: str, text: str) -> bool:
    if declaration.command == "newcolumntype":
        columns = "".join(found["columns"] for found in _COLUMNS.finditer(text)) if subset == TABLE else ""
        return any(name in columns for name in declaration.names)
    if not declaration.names:
        return subset == PLOT
    return any(_has_word(text, name) for name in declaration.names)


def _has_word(text: str, name: str) -> bool:
    return bool(name) and re.search(rf"(?<![A-Za-z0-9\\]){re.escape(name)}(?![A-Za-z0-9])", text) is not None
