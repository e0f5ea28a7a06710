"""Cutting a standardised document into its kinds of content and into blocks.

All functions take time proportional to the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from i2s_sdk.tasks.readoc.fences import fenced_lines
from i2s_wire.metrics.profile import Profile

Span = tuple[int, int]

_HEADING = re.compile(r"#{1,6} +[^\n]+")
_LINE_ENDS = re.compile(r"\n{3,}")
_BEGIN, _END = "\\begin{table}", "\\end{table}"


@dataclass(frozen=True, slots=True)
class Segments:
    r"""The parts of a document; each has its delimiters.

    Attributes:
        whole: The document, without white space around it.
        plain: What is left without tables, headings and formulas.
        headings: Lines that begin with 1 to 6 ``#`` and spaces.
        inline: Formulas in ``\(…\)``, those of tables and headings too.
        display: Formulas in ``\[…\]``.
        tables: LaTeX tables, each with the line end before it.
        blocks: The document in pieces: headings, tables, displayed formulas and paragraphs.
    """

    whole: str
    plain: str
    headings: tuple[str, ...]
    inline: tuple[str, ...]
    display: tuple[str, ...]
    tables: tuple[str, ...]
    blocks: tuple[str, ...]


def segments(text: str, profile: Profile) -> Segments:
    """Cut a standardised document.

    Args:
        text: A document after ``after_tables``.
        profile: ``helm`` takes lines of fenced code for headings; ``paper`` does not.
    """

    def headings(of: str) -> Iterator[Span]:
        return heading_spans(of, profile)

    cut = [tuple(text[a:b] for a, b in spans(text)) for spans in (headings, inline_spans, display_spans)]
    plain = text
    for spans in (table_spans, headings, inline_spans, display_spans):
        plain = _without(plain, spans)
    return Segments(
        whole=text.strip(),
        plain=_LINE_ENDS.sub("\n\n", plain).strip(),
        headings=cut[0],
        inline=cut[1],
        display=cut[2],
        tables=tuple(text[a:b] for a, b in table_spans(text)),
        blocks=tuple(_blocks(text, sorted((*headings(text), *table_spans(text), *display_spans(text))))),
    )


def heading_spans(text: str, profile: Profile) -> Iterator[Span]:
    """Yield where headings stand."""
    lines = text.split("\n")
    fenced = fenced_lines(lines) if profile is Profile.PAPER else [False] * len(lines)
    position = 0
    for line, code in zip(lines, fenced, strict=True):
        if not code and _HEADING.fullmatch(line):
            yield position, position + len(line)
        position += len(line) + 1


def inline_spans(text: str) -> Iterator[Span]:
    r"""Yield where formulas stand from ``\(`` to the first ``\)`` on the line without a backslash before."""
    position = 0
    line_end = -1
    while (start := text.find("\\(", position)) >= 0:
        if line_end < start:
            line_end = text.find("\n", start)
            line_end = len(text) if line_end < 0 else line_end
        stop = text.find("\\)", start + 2, line_end)
        while stop >= 0 and text[stop - 1] == "\\":
            stop = text.find("\\)", stop + 1, line_end)
        if stop < 0:  # nothing else on this line is closed
            position = line_end
            continue
        position = stop + 2
        yield start, position


def display_spans(text: str) -> Iterator[Span]:
    r"""Yield where formulas stand from ``\[`` to the next ``\]``, with at least one character between."""
    position = 0
    while (start := text.find("\\[", position)) >= 0:
        stop = text.find("\\]", start + 3)
        if stop < 0:
            return
        position = stop + 2
        yield start, position


def table_spans(text: str) -> Iterator[Span]:
    r"""Yield where tables stand from a line end and ``\begin{table}`` to ``\end{table}``.

    No other ``\begin{table}`` stands between.
    """
    stop = -1
    start = text.find("\n" + _BEGIN)
    while start >= 0:
        inner = start + 1 + len(_BEGIN)
        if stop < inner:
            stop = text.find(_END, inner)
        if stop < 0:
            return
        following = text.find(_BEGIN, inner, stop)
        if following >= 0:
            start = text.find("\n" + _BEGIN, following - 1)
            continue
        yield start, stop + len(_END)
        start = text.find("\n" + _BEGIN, stop + len(_END))


def _without(text: str, spans: Callable[[str], Iterable[Span]]) -> str:
    kept: list[str] = []
    done = 0
    for start, stop in spans(text):
        kept.append(text[done:start])
        done = stop
    return "".join((*kept, text[done:]))


def _blocks(text: str, spans: Iterable[Span]) -> Iterator[str]:
    """Yield what stands at the spans, and the paragraphs between; a span within another is left out."""
    done = 0
    for start, stop in (*spans, (len(text), len(text))):
        if start < done:
            continue
        pieces = (*text[done:start].strip().split("\n\n"), text[start:stop])
        yield from filter(None, (piece.strip() for piece in pieces))
        done = stop
