"""Tables that are written as HTML in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator

from i2s_sdk.tasks.readoc.fences import fenced_lines
from i2s_sdk.tasks.readoc.html_tables import latex_table, parsed_body
from i2s_wire.metrics.profile import Profile

_TAG = re.compile(r"<(/?)table(?=[\s>/])", re.IGNORECASE)


def with_latex_for_html(text: str) -> str:
    """Return the text with each HTML table as a LaTeX table.

    The outermost tables are converted, except those in fenced code; a table whose end tag is missing stays as
    it is. The first row of a table without a head is its head.
    """
    kept: list[str] = []
    done = 0
    for start, stop in _spans(text):
        table = _as_latex(text[start:stop])
        if table is not None:
            kept += (text[done:start], table)
            done = stop
    return "".join((*kept, text[done:]))


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield where outermost tables stand, from ``<table`` to the end of ``</table>``."""
    code = _code_spans(text)
    span = next(code, None)
    opened: list[int] = []
    for tag in _TAG.finditer(text):
        while span is not None and span[1] <= tag.start():
            span = next(code, None)
        if span is not None and span[0] <= tag.start():
            continue
        if not tag.group(1):
            opened.append(tag.start())
        elif opened:
            start = opened.pop()
            stop = text.find(">", tag.end(), tag.end() + 80)
            if not opened and stop >= 0:
                yield start, stop + 1


def _code_spans(text: str) -> Iterator[tuple[int, int]]:
    lines = text.split("\n")
    position = 0
    for line, code in zip(lines, fenced_lines(lines), strict=True):
        if code:
            yield position, position + len(line) + 1
        position += len(line) + 1


def _as_latex(source: str) -> str | None:
    body = parsed_body(source)
    table = body.find("table") if body is not None else None
    return latex_table(table, Profile.PAPER, complete=False) if table is not None else None
