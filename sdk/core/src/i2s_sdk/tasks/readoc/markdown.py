"""Markdown documents: brought into one form before they are compared, and cut into segments and blocks.

The order of the steps is part of the rules. Tables are the one step that needs conversions by pandoc; it
stands in ``tables``. All functions take time proportional to the length of the text: if a regular
expression would search the same text again and again, there is a scanner instead.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from i2s_wire.metrics.profile import Profile

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


def fenced_lines(lines: Sequence[str]) -> list[bool]:
    """Return for each line whether it is part of a fenced code block, the two fences included.

    A fence is closed by a line of at least as many of the same character and nothing else; one that is never
    closed runs to the end, as in CommonMark.
    """
    inside: list[bool] = []
    fence = ""
    for line in lines:
        opening = _FENCE.match(line)
        mark = opening.group(1) if opening else ""
        if fence:
            inside.append(True)
            if mark.startswith(fence) and not line.strip().strip(mark[0]):
                fence = ""
        else:
            fence = "" if mark.startswith("`") and "`" in line.strip().lstrip("`") else mark
            inside.append(bool(fence))
    return inside


_UNDERLINE = {"=": re.compile("=+"), "-": re.compile("-+")}
_MARKS = {"=": "# ", "-": "## "}
_FIGURES = ("figure", "figure*")
_DISPLAYS = ("equation", "multline")
_ALIGNED = (("gather", "gathered"), ("align", "aligned"))
_DOLLAR = re.compile(r"(?<!\\)\$(?!\$)")
_EMPTY_LINES = re.compile(r"\n\s*\n")
_LINE_ENDS = re.compile(r"\r\n?")


def before_tables(text: str, profile: Profile) -> str:
    r"""Return the document after the steps that precede the conversion of tables.

    Line ends become ``\n``; underlined headings become those with ``#``; figures and images are removed,
    links become their texts; the environments equation, multline, gather and align, and dollars, become
    ``\[…\]`` and ``\(…\)``.

    Args:
        text: Markdown.
        profile: ``helm`` takes a line of fenced code for part of an underlined heading; ``paper`` does not.
    """
    text = _LINE_ENDS.sub("\n", text)
    for sign in _UNDERLINE:
        text = _with_underlined_headings(text, sign, profile)
    for name in _FIGURES:
        text = _without_environment(text, name)
    text = _without_links(_without_links(text, "![", keep_label=False), "[", keep_label=True)
    return _with_single_dollars(_with_double_dollars(_with_display_environments(text)))


def after_tables(text: str) -> str:
    """Return the document with one empty line if several follow each other."""
    return _EMPTY_LINES.sub(lambda found: "\n\n" if found.group().count("\n") > 2 else found.group(), text)


def _with_underlined_headings(text: str, sign: str, profile: Profile) -> str:
    """Return the text with each paragraph above a line of ``sign`` as a heading.

    All lines above up to an empty one belong to the heading. If a paragraph has several such lines, the last
    one counts.
    """
    underline = _UNDERLINE[sign]
    lines = text.split("\n")
    fenced = fenced_lines(lines) if profile is Profile.PAPER else [False] * len(lines)
    result: list[str] = []
    paragraph: list[str] = []

    def finish() -> None:
        last = max((i for i, one in enumerate(paragraph) if i and underline.fullmatch(one)), default=0)
        if last:
            result.append(_MARKS[sign] + " ".join(paragraph[:last]).strip())
            result.extend(paragraph[last + 1 :])
        else:
            result.extend(paragraph)
        paragraph.clear()

    for line, code in zip(lines, fenced, strict=True):
        if line and not code:
            paragraph.append(line)
            continue
        finish()
        result.append(line)
    finish()
    return "\n".join(result)


def _without_environment(text: str, name: str) -> str:
    r"""Return the text without everything from ``\begin{name}`` to the next ``\end{name}``."""
    begin, end = f"\\begin{{{name}}}", f"\\end{{{name}}}"
    kept: list[str] = []
    position = 0
    while (start := text.find(begin, position)) >= 0:
        stop = text.find(end, start)
        if stop < 0:
            break
        kept.append(text[position:start])
        position = stop + len(end)
    return "".join((*kept, text[position:]))


def _without_links(text: str, opening: str, *, keep_label: bool) -> str:
    """Return the text with each ``opening…](…)`` on one line replaced by its label, or by nothing."""
    return "\n".join(
        "".join(_line_without_links(line, opening, keep_label)) if "](" in line else line
        for line in text.split("\n")
    )


def _line_without_links(line: str, opening: str, keep_label: bool) -> Iterator[str]:
    position = 0
    while (start := line.find(opening, position)) >= 0:
        middle = line.find("](", start + len(opening))
        stop = line.find(")", middle + 2) if middle >= 0 else -1
        if stop < 0:  # no later opening can be closed either
            break
        yield line[position:start]
        if keep_label:
            yield line[start + len(opening) : middle]
        position = stop + 1
    yield line[position:]


def _with_display_environments(text: str) -> str:
    r"""Return the text with ``\[`` and ``\]`` around what were environments of displayed formulas."""
    for name in _DISPLAYS:
        for environment in (name, f"{name}*"):
            text = text.replace(f"\\begin{{{environment}}}", "\\[").replace(f"\\end{{{environment}}}", "\\]")
    for name, inner in _ALIGNED:
        for environment in (name, f"{name}*"):
            text = text.replace(f"\\begin{{{environment}}}", f"\\[\n\\begin{{{inner}}}")
            text = text.replace(f"\\end{{{environment}}}", f"\\end{{{inner}}}\n\\]")
    return text


def _with_double_dollars(text: str) -> str:
    r"""Return the text with ``\[…\]`` for ``$$…$$``, which may run over lines, but not over an empty one."""
    kept: list[str] = []
    done, start = 0, _next_double(text, 0)
    while start >= 0:
        stop = _next_double(text, start + 3)
        if stop < 0:
            break
        if text.find("\n\n", start + 2, stop) >= 0:
            following = _next_double(text, start + 1)
            start = following
            continue
        kept += (text[done:start], "\\[", text[start + 2 : stop], "\\]")
        done = stop + 2
        start = _next_double(text, done)
    return "".join((*kept, text[done:]))


def _next_double(text: str, position: int) -> int:
    """Return where the next two dollars stand that no backslash precedes; -1 if there are none."""
    place = text.find("$$", position)
    while place > 0 and text[place - 1] == "\\":
        place = text.find("$$", place + 1)
    return place


def _with_single_dollars(text: str) -> str:
    r"""Return the text with ``\(…\)`` for ``$…$`` on one line.

    A dollar after a backslash, or before another dollar, is none of the two.
    """
    return "\n".join(_line_with_formulas(line) if "$" in line else line for line in text.split("\n"))


def _line_with_formulas(line: str) -> str:
    dollars = [found.start() for found in _DOLLAR.finditer(line)]
    kept: list[str] = []
    done = 0
    for start, stop in zip(dollars[::2], dollars[1::2], strict=False):
        kept += (line[done:start], "\\(", line[start + 1 : stop], "\\)")
        done = stop + 1
    return "".join((*kept, line[done:]))


Span = tuple[int, int]

_HEADING = re.compile(r"#{1,6} +[^\n]+")
_BLANK_LINES = re.compile(r"\n{3,}")
_BEGIN, _END = "\\begin{table}", "\\end{table}"


@dataclass(frozen=True, slots=True)
class DocumentSegments:
    r"""The parts of a document; each has its delimiters."""

    #: The document, without white space around it.
    whole: str
    #: What is left without tables, headings and formulas.
    plain: str
    #: Lines that begin with 1 to 6 ``#`` and spaces.
    headings: tuple[str, ...]
    #: Formulas in ``\(…\)``, those of tables and headings too.
    inline: tuple[str, ...]
    #: Formulas in ``\[…\]``.
    display: tuple[str, ...]
    #: LaTeX tables, each with the line end before it.
    tables: tuple[str, ...]
    #: The document in pieces: headings, tables, displayed formulas and paragraphs.
    blocks: tuple[str, ...]


def segments(text: str, profile: Profile) -> DocumentSegments:
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
    return DocumentSegments(
        whole=text.strip(),
        plain=_BLANK_LINES.sub("\n\n", plain).strip(),
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
