"""Fenced code blocks of a completion."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

_RUN = re.compile(r"`{3,}|^[ \t]*~{3,}", re.MULTILINE)
_INFO_LINE = re.compile(r"[ \t]*(?P<info>[A-Za-z][\w+#.-]*)?(?:[ \t]+[\w-]+=[^\n`]*)?[ \t]*(?=\n|\Z)")
_INFO_WORD = re.compile(r"[ \t]*(?P<info>[A-Za-z]\w*)(?=[\s\\$])")


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block.

    Attributes:
        info: The language that the opening fence names, in lower case; empty where it names none.
        content: What stands between the fences, verbatim.
        closed: False where the completion ends before the block does.
    """

    info: str
    content: str
    closed: bool


def fenced_blocks(text: str, languages: Collection[str] = ()) -> tuple[Block, ...]:
    """Return the blocks of ``text`` in order. Fences may stand in the middle of a line.

    A block ends on its first line if there is a fence, else at the next fence that begins a line, else
    at the next fence at all, else at the end of the text. What was cut off in the middle is thus kept.

    Args:
        text: A completion.
        languages: In lower case, words that name a language even where code follows on the line. Any other
            word is one only where the line ends after it.
    """
    blocks: list[Block] = []
    position = 0
    while opening := _RUN.search(text, position):
        info, start = _info(text, opening.end(), languages)
        closing = _closing(text, start, opening.group().strip())
        end, position = closing.span() if closing else (len(text), len(text))
        blocks.append(Block(info, text[start:end], closing is not None))
    return tuple(blocks)


def _info(text: str, start: int, languages: Collection[str]) -> tuple[str, int]:
    """Return the language that is named at ``start``, and where the code begins."""
    line = _INFO_LINE.match(text, start)
    if line:
        return (line["info"] or "").lower(), line.end()
    word = _INFO_WORD.match(text, start)
    if word and word["info"].lower() in languages:
        return word["info"].lower(), word.end()
    return "", start


def _closing(text: str, start: int, fence: str) -> re.Match[str] | None:
    run = re.escape(fence) + re.escape(fence[0]) + "*"
    line_end = text.find("\n", start)
    same_line = re.compile(run).search(text, start, len(text) if line_end < 0 else line_end)
    own_line = re.compile(rf"(?<=\n)[ \t]*{run}")
    return same_line or own_line.search(text, start) or re.compile(run).search(text, start)


def longest_block(blocks: Collection[Block], languages: Collection[str]) -> Block | None:
    """Return the block that holds the answer, or None where no block holds anything.

    Blocks in one of ``languages`` (lower case) come before blocks that name none, and those before blocks
    of another language; within the same rank the longest wins, and the first of equals.
    """

    def rank(block: Block) -> tuple[bool, bool, int]:
        return block.info in languages, not block.info, len(block.content.strip())

    return max((block for block in blocks if block.content.strip()), key=rank, default=None)
