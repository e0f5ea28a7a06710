"""Where the braces and brackets of a source belong together, found in one pass."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict

_MARK = re.compile(r"\\.|[{}\]]", re.DOTALL)


class Delimiters:
    """The delimiters of TeX source. What follows a backslash is none; comments are not told apart.

    Args:
        source: Any text.
    """

    def __init__(self, source: str) -> None:
        self._braces: dict[int, int] = {}
        self._brackets: defaultdict[int, list[int]] = defaultdict(list)
        self._marks: list[int] = []
        self._after: list[int] = []
        depth = 0
        open_braces: list[int] = []
        for mark in _MARK.finditer(source):
            match mark.group():
                case "{":
                    depth += 1
                    open_braces.append(mark.start())
                case "}":
                    depth -= 1
                    if open_braces:
                        self._braces[open_braces.pop()] = mark.start()
                case "]":
                    self._brackets[depth].append(mark.start())
                    continue
                case _:
                    continue
            self._marks.append(mark.start())
            self._after.append(depth)

    def brace(self, opening: int) -> int | None:
        """Return where the brace is closed that opens there; None if it is not."""
        return self._braces.get(opening)

    def bracket(self, opening: int) -> int | None:
        """Return the next closing bracket outside of braces opened since; None if there is none."""
        braces_before = bisect_left(self._marks, opening)
        depth = self._after[braces_before - 1] if braces_before else 0
        candidates = self._brackets.get(depth, [])
        index = bisect_left(candidates, opening)
        return candidates[index] if index < len(candidates) else None
