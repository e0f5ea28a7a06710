r"""Commands whose arguments end on their line, as the rules of profile ``helm`` see them.

Each method stands for a pattern of the reference implementation, named in its docstring, and finds what that
would find at a position, in linear time over a whole text whatever it holds.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from i2s_sdk.tasks.next_found import NextFound


class LineArguments:
    """The arguments of commands of one text, read in the order in which they stand.

    Every method takes the position where arguments may begin and returns where they end, or None if
    they are not there.
    """

    def __init__(self, source: str) -> None:
        self._source = source
        self._line_end = NextFound(source, "\n")
        self._brace = NextFound(source, "}")
        self._bracket = NextFound(source, "]")
        self._option_end = NextFound(source, "]{")

    def name(self, position: int) -> int | None:
        r"""Stand for ``\{[^\n]*?\}``."""
        return self._closed(position, "{", self._brace, self._line_end.at(position))

    def option(self, position: int) -> int | None:
        r"""Stand for ``\[[^\n]*?\]``."""
        return self._closed(position, "[", self._bracket, self._line_end.at(position))

    def option_and_name(self, position: int) -> int | None:
        r"""Stand for ``(?:\[[^\n]*?\])?\{[^\n]*?\}``."""
        line_end = self._line_end.at(position)
        end = self._closed(position, "[", self._option_end, line_end)
        return self._closed(end or position, "{", self._brace, line_end)

    def option_and_rest(self, position: int) -> int | None:
        r"""Stand for ``(?:\[[^\n]*?\])?\{[^\n]*\}``, which goes on to the last brace of the line."""
        end = self.option_and_name(position)
        return None if end is None else self._source.rfind("}", position, self._line_end.at(position)) + 1

    def after(self, blank: re.Pattern[str], position: int) -> int:
        """Return the end of ``blank``, which may match nothing."""
        match = blank.match(self._source, position)
        return match.end() if match else position

    def _closed(self, position: int, opening: str, closing: NextFound, line_end: int) -> int | None:
        if not self._source.startswith(opening, position):
            return None
        found = closing.at(position + 1)
        return found + 1 if found < line_end else None


def without(
    command: re.Pattern[str], arguments: Callable[[LineArguments, int], int | None], source: str
) -> str:
    """Return ``source`` without every ``command`` that has its arguments."""
    read = LineArguments(source)
    kept: list[str] = []
    position = 0
    for match in command.finditer(source):
        end = arguments(read, match.end()) if match.start() >= position else None
        if end is not None:
            kept.append(source[position : match.start()])
            position = end
    return "".join([*kept, source[position:]])


def first(command: re.Pattern[str], source: str) -> str | None:
    """Return the first ``command`` with an option, if any, and its name; None if there is none."""
    read = LineArguments(source)
    for match in command.finditer(source):
        end = read.option_and_name(match.end())
        if end is not None:
            return source[match.start() : end]
    return None
