"""Fences that stand in the middle of a line, put on lines of their own.

Models write ``Here it is: ```latex``, ``…]``` `` at the end of the last line of code, ``` ```latex x``` ```
on one line, and code right behind the language. CommonMark takes none of these for a fence.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

#: Languages that are known as such even if code follows them on the line.
LANGUAGES = frozenset(
    {"latex", "tex", "tikz", "pdflatex", "python", "py", "python3", "html", "htm", "json", "css"}
    | {"javascript", "js", "lilypond", "ly", "markdown", "md"}
)

#: The most fences of a line that are read; a line of more is no code.
_MOST_FENCES = 100
_RUN = re.compile(r"`{3,}|~{3,}")
_CONTAINER = re.compile(r"[ \t]*(?:(?:>|[-*+]|\d{1,9}[.)])[ \t]*)*\Z")
_BARE_RUN = re.compile(r"[\s>]*(?P<run>`{3,}|~{3,})\s*\Z")
_RUN_WITH_INFO = re.compile(r"[\s>]*(?P<run>`{3,}|~{3,})[ \t]*\{?\.?[A-Za-z][^`]*\Z")
_ENDS_WITH_RUN = re.compile(r"(?P<run>`{3,}|~{3,})[ \t]*\Z")
_BEGINS_WITH_RUN = re.compile(r"[ \t]*(?P<run>`{3,}|~{3,})(?P<rest>[ \t]+\S.*)\Z")
_CODE = re.compile(r"[ \t]*(?P<word>[A-Za-z][\w+#-]*)?[ \t]*(?=\\|\$|\[\{|\{\"|<!|<html)")
_WORD = re.compile(r"[ \t]*(?P<word>[A-Za-z][\w+#-]*)[ \t]+(?=\S)")


def with_fences_on_lines(text: str) -> str:
    """Return an answer with each fence on a line of its own; other lines are as they were."""
    return "\n".join(_Lines(text.split("\n")).rewritten())


@dataclass(frozen=True, slots=True)
class _Fence:
    character: str
    length: int

    @classmethod
    def of(cls, run: str) -> _Fence:
        return cls(run[0], len(run))

    def ends_with(self, run: str) -> bool:
        return run[0] == self.character and len(run) >= self.length


class _Lines:
    """The lines of an answer, with the places of fences that stand alone or open a block."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._closing: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        self._opening: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        for number, line in enumerate(lines):
            bare = _BARE_RUN.match(line)
            if bare:
                self._closing[bare["run"][0]].append((number, len(bare["run"])))
            elif opening := _RUN_WITH_INFO.match(line):
                self._opening[opening["run"][0]].append((number, len(opening["run"])))

    def rewritten(self) -> Iterator[str]:
        fence: _Fence | None = None
        for number, line in enumerate(self._lines):
            rest = line
            if fence is not None:
                parts, fence, rest = self._inside(line, fence, number)
                yield from parts
                if fence is not None or not rest:
                    continue
            parts, fence = _outside(rest)
            yield from parts

    def _inside(self, line: str, fence: _Fence, number: int) -> tuple[list[str], _Fence | None, str]:
        """Return the lines that a line of a block becomes, the fence open behind it, and text after that."""
        bare = _BARE_RUN.match(line)
        if bare:
            return [line], None if fence.ends_with(bare["run"]) else fence, ""
        if fence.character not in line:
            return [line], fence, ""
        ending = _ENDS_WITH_RUN.search(line)
        beginning = _BEGINS_WITH_RUN.match(line)
        run = ending["run"] if ending else beginning["run"] if beginning else ""
        if not run or not fence.ends_with(run) or self._closes_later(fence, number):
            return [line], fence, ""
        if ending:
            return [line[: ending.start()], run], None, ""
        assert beginning is not None
        return [run], None, beginning["rest"]

    def _closes_later(self, fence: _Fence, number: int) -> bool:
        """Return whether a closing fence on a line of its own comes before another block opens."""
        closing = _first(self._closing[fence.character], number, fence.length)
        opening = _first(self._opening[fence.character], number, fence.length)
        return closing is not None and (opening is None or closing < opening)


def _first(places: list[tuple[int, int]], number: int, length: int) -> int | None:
    """Return the first line behind ``number`` whose run is as long; few lines are looked at."""
    at = bisect_left(places, (number + 1, 0))
    return next((line for line, size in places[at : at + 100] if size >= length), None)


def _outside(line: str) -> tuple[list[str], _Fence | None]:
    """Return the lines that a line outside of blocks becomes, and the fence that is open behind it."""
    runs = [(run.start(), run.end()) for run in _RUN.finditer(line)]
    if len(runs) > _MOST_FENCES:
        return [line], None
    parts: list[str] = []
    position = number = 0
    while number < len(runs):
        start, end = runs[number]
        run, before = line[start:end], line[position:start]
        alone = bool(_CONTAINER.match(before))
        if run[0] == "~":
            return [*parts, line[position:]], _Fence.of(run) if alone else None
        if number + 1 == len(runs) and "`" not in line[end:]:
            info, code = _info_and_code(line[end:])
            opened = [f"{before}{run}{info}"] if alone else [before, f"{run}{info}"]
            return [*parts, *opened, *([code] if code else [])], _Fence.of(run)
        closing = next((at for at in range(number + 1, len(runs)) if line[slice(*runs[at])] == run), None)
        if closing is None:
            break
        info, code = _info_and_code(line[end : runs[closing][0]], one_line=True)
        parts += [before, f"{run}{info}", code, run]
        position, number = runs[closing][1], closing + 1
    return [*parts, *([line[position:]] if position < len(line) or not parts else [])], None


def _info_and_code(rest: str, *, one_line: bool = False) -> tuple[str, str]:
    """Return the info string of an opening line, and the code that follows it there."""
    code = _CODE.match(rest)
    if code:
        return code["word"] or "", rest[code.end() :]
    if not one_line:
        return rest, ""
    word = _WORD.match(rest)
    if word and word["word"].lower() in LANGUAGES:
        return word["word"], rest[word.end() :]
    return "", rest
