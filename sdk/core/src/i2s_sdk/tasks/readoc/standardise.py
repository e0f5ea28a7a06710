"""Bringing a Markdown document into one form before it is compared: headings, pictures, links and formulas.

The order of the steps is part of the rules. Tables are the one step that needs conversions by pandoc; it
stands in ``pipe_tables``. All steps take time proportional to the length of the text: if a regular
expression would search the same text again and again, there is a scanner instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from i2s_sdk.tasks.readoc.fences import fenced_lines
from i2s_wire.metrics.profile import Profile

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

    Line ends become ``\n``; underlined headings become those with ``#``; figures and pictures are removed,
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
        for one in (name, f"{name}*"):
            text = text.replace(f"\\begin{{{one}}}", "\\[").replace(f"\\end{{{one}}}", "\\]")
    for name, inner in _ALIGNED:
        for one in (name, f"{name}*"):
            text = text.replace(f"\\begin{{{one}}}", f"\\[\n\\begin{{{inner}}}")
            text = text.replace(f"\\end{{{one}}}", f"\\end{{{inner}}}\n\\]")
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
    found = text.find("$$", position)
    while found > 0 and text[found - 1] == "\\":
        found = text.find("$$", found + 1)
    return found


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
