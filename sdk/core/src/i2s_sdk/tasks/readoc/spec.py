"""The specification of READOC, and lines of words as Markdown, for ``baseline/ocr``.

The order of lines is that of recursive cuts: a region that a gutter divides is read left half first; any
other is divided at its largest vertical gap and read upper part first. Headings, maths and tables are
paragraphs.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from i2s_sdk.instances.instance import Content
from i2s_sdk.instances.pdf import document_fault
from i2s_sdk.scoring.scorer import Average
from i2s_sdk.tasks.benchmark import published_tables
from i2s_sdk.tasks.ocr_page import OcrLine, OcrPage
from i2s_sdk.tasks.question import Question
from i2s_sdk.tasks.readoc.grades import GRADES
from i2s_sdk.tasks.readoc.scorer import COLUMNS
from i2s_sdk.tasks.readoc.task import DOCUMENT, MAX_TOKENS, ReadocTask
from i2s_sdk.tasks.readoc.view import view
from i2s_sdk.tasks.spec import FILE, STRUCTURE, TaskSpec, fields, text_fault

_HALF = 0.3  # of the width of its region that a column has at least
_LINES = 4  # of a column at least
_GAP = 0.6  # of the usual height of a line: a larger gap ends a paragraph


def pages_as_markdown(pages: Sequence[OcrPage], inputs: Mapping[str, Any]) -> str:
    """Return the paragraphs of the pages of a document, one page after another."""
    return "\n\n".join(map(as_markdown, pages))


def as_markdown(page: OcrPage) -> str:
    """Return the paragraphs of a page, with an empty line between two."""
    if not page.lines:
        return ""
    usual = statistics.median(line.height for line in page.lines)
    paragraphs: list[list[OcrLine]] = []
    for line in _in_order(page.lines):
        if paragraphs and _goes_on(paragraphs[-1][-1], line, usual):
            paragraphs[-1].append(line)
        else:
            paragraphs.append([line])
    return "\n\n".join(map(_joined, paragraphs))


def _in_order(lines: Sequence[OcrLine]) -> Iterator[OcrLine]:
    """Yield lines in the order of reading."""
    waiting: list[Sequence[OcrLine]] = [lines]
    while waiting:
        region = waiting.pop()
        parts = _columns(region) or _parts(region)
        if parts is None:
            yield from sorted(region, key=lambda line: (line.left, line.top))
        else:
            first, second = parts
            waiting += (second, first)


def _columns(region: Sequence[OcrLine]) -> tuple[list[OcrLine], list[OcrLine]] | None:
    """Return the two columns of a region; None if it has not two."""
    if len(region) < 2 * _LINES:
        return None
    by_left = sorted(region, key=lambda line: line.left)
    least = _HALF * (max(line.right for line in region) - by_left[0].left)
    reached = by_left[0].right
    for number, line in enumerate(by_left):
        if line.left > reached and number >= _LINES and len(by_left) - number >= _LINES:
            left, right = by_left[:number], by_left[number:]
            if (
                reached - by_left[0].left >= least
                and max(ocr_line.right for ocr_line in right) - line.left >= least
            ):
                return left, right
        reached = max(reached, line.right)
    return None


def _parts(region: Sequence[OcrLine]) -> tuple[list[OcrLine], list[OcrLine]] | None:
    """Return what is above and below the largest vertical gap of a region; None if it has none."""
    by_top = sorted(region, key=lambda line: line.top)
    reached, largest, where = by_top[0].bottom, None, 0
    for number, line in enumerate(by_top[1:], start=1):
        gap = line.top - reached
        # Boxes of neighbouring lines may overlap by a few pixels; those of one row overlap by more.
        if 2 * -gap < line.height and (largest is None or gap > largest):
            largest, where = gap, number
        reached = max(reached, line.bottom)
    return (by_top[:where], by_top[where:]) if largest is not None else None


def _goes_on(last: OcrLine, line: OcrLine, usual: float) -> bool:
    """Return whether a line belongs to the paragraph of the line before it."""
    same_row = min(last.bottom, line.bottom) - max(last.top, line.top) > usual / 2
    if same_row:
        return line.left > last.left
    return line.top > last.top and line.top - last.bottom <= _GAP * usual and line.left < last.right


def _joined(lines: Sequence[OcrLine]) -> str:
    """Return lines as one; a word that is divided at the end of a line is put together."""
    text = lines[0].text
    for line in lines[1:]:
        divided = text.endswith("-") and text[-2:-1].isalpha() and line.text[:1].islower()
        text = text[:-1] + line.text if divided else f"{text} {line.text}"
    return text


def _answer(content: Content, question: Question) -> str:
    return content.structure if content.structure is not None else str(content.target or "")


READOC = TaskSpec(
    name="readoc",
    max_tokens=MAX_TOKENS,
    title="READOC",
    published=published_tables("i2s_sdk.tasks.readoc"),
    main_metric="average",
    subsets=("arxiv", "github", "zenodo"),
    structure_suffix=".md",
    language="markdown",
    open=ReadocTask,
    answer=_answer,
    structure_fault=text_fault,
    inputs=fields({DOCUMENT: FILE}),
    files_fault=document_fault,
    target={"anyOf": [{"type": "string"}, STRUCTURE]},
    view=view,
    averages=(Average("average", COLUMNS),),
    subset_tables={"arxiv": "readoc arxiv", "github": "readoc github"},
    ocr_answer=pages_as_markdown,
    shows_pages=True,
    grades=GRADES,
)
