"""The blocks of a prediction, and the scanners that find them; all take time proportional to the text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

#: The longest formula in a text whose LaTeX becomes Unicode.
MAX_INLINE = 1000


class PredictedKind(StrEnum):
    """What a piece of a prediction is."""

    TEXT = "text"
    FORMULA = "formula"
    #: A formula within a text, which is a part of that text as well.
    INLINE = "inline"
    HTML_TABLE = "html table"
    LATEX_TABLE = "latex table"


@dataclass(frozen=True, slots=True)
class PredictedBlock:
    """A piece of a prediction."""

    #: What it is.
    kind: PredictedKind
    #: Its text; of a formula the LaTeX without delimiters.
    content: str
    #: Where it begins in the prediction.
    place: int

    @property
    def is_formula(self) -> bool:
        """Whether it is a formula, within a text or not."""
        return self.kind in (PredictedKind.FORMULA, PredictedKind.INLINE)

    @property
    def is_table(self) -> bool:
        """Whether it is a table."""
        return self.kind in (PredictedKind.HTML_TABLE, PredictedKind.LATEX_TABLE)


@dataclass(frozen=True, slots=True)
class BlockRules:
    """How predictions are read, and in which form blocks are compared, for a profile."""

    #: Returns the blocks of a prediction, in any order.
    read: Callable[[str], list[PredictedBlock]]
    #: Returns the form of a text.
    text_form: Callable[[str], str]
    #: Returns the form of a formula that is compared with formulas.
    formula_form: Callable[[str], str]
    #: Returns the form of a formula by which it is matched; the same in the released code.
    matched_form: Callable[[str], str]
    #: What stands between the forms of texts that belong together.
    joint: str
    #: Whether blocks that are left on both sides belong together however much they differ, tables are dropped
    #: if the page has none, and a formula that is matched with a text counts as that text: as in the released
    #: code.
    released: bool


#: Start and end of a piece of a text.
Span = tuple[int, int]


def outermost_spans(text: str, opening: re.Pattern[str], closing: str) -> list[Span]:
    """Return where pieces stand from an opening to its closing; those within others are left out.

    Args:
        text: Text that is searched.
        opening: Matches an opening, in time proportional to its length.
        closing: The closing, in lower case if the opening ignores case.
    """
    searched = text.lower() if opening.flags & re.IGNORECASE else text
    if len(searched) != len(text):  # a letter whose lower case is two
        searched = text
    events = [(match.start(), True) for match in opening.finditer(text)]
    events += [(at, False) for at in _places(searched, closing)]
    waiting: list[int] = []
    spans: list[Span] = []
    for at, opens in sorted(events):
        if opens:
            waiting.append(at)
        elif waiting:
            start = waiting.pop()
            while spans and spans[-1][0] > start:
                spans.pop()
            spans.append((start, at + len(closing)))
    return spans


def _places(text: str, piece: str) -> Iterator[int]:
    at = text.find(piece)
    while at >= 0:
        yield at
        at = text.find(piece, at + len(piece))


def blanked(text: str, spans: Sequence[Span], *, keep_lines: bool = False) -> str:
    """Return a text of the same length with blanks in place of pieces, or with line ends at both their ends.

    Args:
        text: The text.
        spans: Where the pieces stand, in order, without overlaps.
        keep_lines: Whether a piece of two characters and more becomes a gap between paragraphs.
    """
    parts: list[str] = []
    done = 0
    for start, end in spans:
        length = end - start
        gap = "\n" * length if keep_lines and length < 4 else " " * length
        if keep_lines and length >= 4:
            gap = "\n\n" + " " * (length - 4) + "\n\n"
        parts += (text[done:start], gap)
        done = end
    return "".join((*parts, text[done:]))


def without_images(text: str, *, blank: bool = False) -> str:
    """Return a text without images in Markdown, each on one line; or with blanks in their places."""
    lines = []
    for line in text.split("\n"):
        at = 0
        kept = []
        while (start := line.find("![", at)) >= 0:
            middle = line.find("](", start + 2)
            end = line.find(")", middle + 2) if middle >= 0 else -1
            if end < 0:  # no later one can be closed either
                break
            kept += [line[at:start], " " * (end + 1 - start) if blank else ""]
            at = end + 1
        lines.append("".join((*kept, line[at:])))
    return "\n".join(lines)


@cache
def _converter() -> Callable[[str], str]:
    # pylatexenc takes time to import, and few commands need it.
    from pylatexenc.latex2text import LatexNodes2Text

    convert: Callable[[str], str] = LatexNodes2Text().latex_to_text
    return convert


def latex_as_text(latex: str) -> str | None:
    """Return a formula as Unicode text, as pylatexenc writes it; None if it fails, or it is too long."""
    if len(latex) > MAX_INLINE:
        return None
    try:
        return _converter()(latex)
    except Exception:  # of the package, which parses what models wrote and raises errors of many kinds
        return None
