"""Fenced code blocks of a completion."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field

from i2s_sdk.tasks.next_found import NextFound

_RUN = re.compile(r"`{3,}|^[ \t]*~{3,}", re.MULTILINE)
_INFO_LINE = re.compile(r"(?P<info>[A-Za-z][\w+#.-]*)?(?P<attributes>[ \t]+[\w-]+=.*)?")
_INFO_WORD = re.compile(r"[ \t]*(?P<info>[A-Za-z]\w*)(?=[\s\\$])")


@dataclass(frozen=True, slots=True)
class FencedBlock:
    """One fenced block.

    Attributes:
        info: The language that the opening fence names, in lower case; empty if it names none.
        content: What stands between the fences, verbatim.
        closed: False if the completion ends before the block does.
        start: Where the content begins in the text.
    """

    info: str
    content: str
    closed: bool
    start: int = field(default=0, compare=False)


def fenced_blocks(text: str, languages: Collection[str] = ()) -> tuple[FencedBlock, ...]:
    """Return the blocks of ``text`` in order. Fences may stand in the middle of a line.

    A block ends on its first line if there is a fence, else at the next fence that begins a line, else
    at the next fence at all, else at the end of the text. What was cut off in the middle is thus kept.

    Args:
        text: A completion.
        languages: Languages in lower case, words that name a language even if code follows on the line.
            Any other word is one only if the line ends after it.
    """
    fences = _Fences(text)
    blocks: list[FencedBlock] = []
    position = 0
    while opening := _RUN.search(text, position):
        info, start = _info(text, opening.end(), languages, fences)
        closing = fences.closing(start, opening.group().strip())
        end, position = closing or (len(text), len(text))
        blocks.append(FencedBlock(info, text[start:end], closing is not None, start))
    return tuple(blocks)


class _Fences:
    """Where a text has fences; what was looked through once is remembered."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._line_end = NextFound(text, "\n")
        self._backtick = NextFound(text, "`")
        self._runs: dict[str, NextFound] = {}
        self._own_lines: dict[str, NextFound] = {}

    def bare_line(self, position: int) -> str | None:
        """Return the rest of a line that has no backtick; None if it has one."""
        end = self._line_end.at(position)
        return None if self._backtick.at(position) < end else self._text[position:end]

    def closing(self, start: int, fence: str) -> tuple[int, int] | None:
        """Return where the fence stands that ends a block; blanks before it on its line belong to it."""
        run = re.escape(fence) + re.escape(fence[0]) + "*"
        anywhere = self._runs.setdefault(fence, NextFound(self._text, fence))
        own_line = self._own_lines.setdefault(
            fence, NextFound(self._text, re.compile(rf"(?<=\n)[ \t]*{run}"))
        )
        nearest = anywhere.at(start)
        if nearest >= self._line_end.at(start) and own_line.at(start) < len(self._text):
            nearest = own_line.at(start)
        match = re.compile(rf"[ \t]*{run}").match(self._text, nearest)
        return match.span() if match else None


def _info(text: str, start: int, languages: Collection[str], fences: _Fences) -> tuple[str, int]:
    """Return the language that is named at ``start``, and where the code begins."""
    line = fences.bare_line(start)
    if line is not None:
        bare = line.strip(" \t")
        blank = " " if line.startswith((" ", "\t")) else ""
        named = _INFO_LINE.fullmatch(bare) or _INFO_LINE.fullmatch(blank + bare)
        if named:
            return (named["info"] or "").lower(), start + len(line)
    word = _INFO_WORD.match(text, start)
    if word and word["info"].lower() in languages:
        return word["info"].lower(), word.end()
    return "", start


def longest_block(blocks: Collection[FencedBlock], languages: Collection[str]) -> FencedBlock | None:
    """Return the block that holds the answer, or None if no block holds anything.

    Blocks in one of ``languages`` (lower case) come before blocks that name none, and those before blocks
    of another language; within the same rank the longest wins, and the first of equals.
    """

    def rank(block: FencedBlock) -> tuple[bool, bool, int]:
        return block.info in languages, not block.info, len(block.content.strip())

    return max((block for block in blocks if block.content.strip()), key=rank, default=None)
