"""Graded answers of READOC: tokens are words of the Markdown, parts are its blocks."""

from __future__ import annotations

import re

from i2s_sdk.tasks.graded import SPELLING, Spans, equivalent, rungs, spans_of

_WORD = re.compile(r"(?<![\\\w/.])[A-Za-z]{2,}(?![\w/])")
_PROTECTED = re.compile(
    r"^```.*?^```|\$\$.*?\$\$|\$[^$\n]*\$|!?\[[^\]]*\]\([^)]*\)|<[^>]*>", re.DOTALL | re.MULTILINE
)
_BLOCK = re.compile(r"(?:(?!\n[ \t]*\n).)+", re.DOTALL)


def _words(text: str) -> Spans:
    return spans_of(_WORD, text, _PROTECTED.finditer(text))


def _blocks(text: str) -> Spans:
    return [match.span() for match in _BLOCK.finditer(text) if match.group().strip()]


def _in_another_spelling(text: str) -> str | None:
    """Return the same document with other marks of lists and emphasis, and headings that are closed."""
    text = re.sub(
        r"^(#{1,6} [^\n#]*[^\n# ])$", lambda match: f"{match[1]} {match[1].split()[0]}", text, flags=re.M
    )
    return re.sub(r"^([ \t]*)- ", r"\1* ", text, flags=re.M)


GRADES = (*rungs(_words, missing=_blocks, fewest=lambda _: 1), equivalent(SPELLING, _in_another_spelling))
