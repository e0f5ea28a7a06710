"""The specifications of Design2Code: pages with their source, and images alone with what was read in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from random import Random

from i2s_sdk.instances.images import PILLOW_PIXELS, read_header
from i2s_sdk.instances.instance import Content
from i2s_sdk.tasks.benchmark import published_tables
from i2s_sdk.tasks.design2code.scorer import OCR_COLUMNS, OCR_SCORER, RELEASED_SCORER
from i2s_sdk.tasks.design2code.task import DESIGN2CODE_NAME, OCR_NAME, Design2codeTask
from i2s_sdk.tasks.graded import Change
from i2s_sdk.tasks.ocr_page import OcrLine, OcrPage, of_one_page
from i2s_sdk.tasks.question import Question
from i2s_sdk.tasks.spec import ASSETS, FILE, STRUCTURE, Schema, Size, TaskSpec, fields, text_fault
from i2s_sdk.tasks.structure import Structure
from i2s_sdk.tasks.view import Panel, ShownSample
from i2s_sdk.tasks.webpage.grades import GRADES
from i2s_sdk.tasks.webpage.reading import INDEX
from i2s_sdk.tasks.webpage.scorer import DESIGN2CODE_DOM, NAME
from i2s_sdk.tasks.webpage.spec import page_of_lines
from i2s_sdk.tasks.webpage.view import view as view_of_blocks

#: ``texts`` are those of the source of the page, which the text-augmented prompt names.
_INPUTS = fields({"image": FILE}, {"assets": ASSETS, "texts": {"type": "array", "items": {"type": "string"}}})

#: A block: its text; left, top, width and height as shares of the image; red, green and blue.
_BLOCK: Schema = {
    "type": "array",
    "prefixItems": [{"type": "string"}, *[{"type": "number"}] * 7],
    "minItems": 8,
    "maxItems": 8,
}
#: The blocks that a program has read in the image, and the name of that program.
_READ: Schema = {
    "type": ["object", "null"],
    "properties": {
        "blocks": {"type": "array", "items": _BLOCK},
        "engine": {"type": "string", "minLength": 1},
    },
    "required": ["blocks", "engine"],
    "additionalProperties": False,
}


_WHITE = (255, 255, 255)


def _answer(content: Content, question: Question) -> str:
    page = content.structure or ""
    return page if "```" in page else f"```html\n{page}\n```"


def _answer_of_blocks(content: Content, question: Question) -> str:
    """Return a page with the blocks that were read at their places."""
    header = read_header(content.reference, PILLOW_PIXELS)
    lines = [
        OcrLine(
            text,
            round(x * header.width),
            round(y * header.height),
            round((x + width) * header.width),
            round((y + height) * header.height),
            (red, green, blue),
        )
        for text, x, y, width, height, red, green, blue in (content.target or {}).get("blocks", ())
    ]
    return _ocr_answer(OcrPage(header.width, header.height, _WHITE, tuple(lines)))


def _page(body: str) -> str:
    return f"<!DOCTYPE html>\n<html>\n<head><title>Page</title></head>\n<body>{body}</body>\n</html>"


def _blank(size: Size | None) -> str:
    """Return a page without content, as high as an image."""
    _, height = size or (0, 1)
    return _page(f'<div style="background: #fefefe; width: 1px; height: {height}px"></div>')


def _of_page(change: Change) -> Change:
    """Return a change of web pages as one of a ground truth that is one page."""

    def changed(content: Content, chance: Random) -> Content | None:
        site = {INDEX: (content.structure or "").encode()}
        after = change(replace(content, site=site), chance)
        if after is None or after.site is None:
            return None
        return replace(content, structure=after.site[INDEX].decode())

    return changed


def _ocr_answer(page: OcrPage) -> str:
    return f"```html\n{page_of_lines(page)}\n```"


def view(shown: ShownSample) -> tuple[Panel, ...]:
    """Return both pages with their blocks, as the scorer of the profile or of the task sees them."""
    for name in (NAME, RELEASED_SCORER.name, OCR_SCORER.name):
        if name in shown.detail:
            return view_of_blocks(replace(shown, detail={NAME: shown.detail[name]}))
    return ()


def _spec(name: str, title: str, main_metric: str, target: Mapping[str, object]) -> TaskSpec:
    return TaskSpec(
        name=name,
        title=title,
        main_metric=main_metric,
        subsets=(DESIGN2CODE_NAME,),
        language="html",
        canary=Structure(_page("<h1>Design2Code</h1>")),
        open=partial(Design2codeTask, name=name),
        answer=_answer,
        inputs=_INPUTS,
        target=target,
        view=view,
        blank=_blank,
        ocr_answer=of_one_page(_ocr_answer),
        constant=_page("<h1>Welcome</h1><p>This is my page. I write about my work and my projects.</p>"),
    )


DESIGN2CODE = replace(
    _spec(DESIGN2CODE_NAME, "Design2Code", DESIGN2CODE_DOM, STRUCTURE),
    published_table="design2code",
    published=published_tables("i2s_sdk.tasks.design2code"),
    structure_suffix=".html",
    structure_fault=text_fault,
    grades=tuple(replace(grade, change=_of_page(grade.change)) for grade in GRADES),
)

DESIGN2CODE_OCR = replace(
    _spec(OCR_NAME, "Design2Code, images alone", OCR_COLUMNS[DESIGN2CODE_DOM], _READ),
    answer=_answer_of_blocks,
)

#: Specifications of the folder.
DESIGN2CODE_TASKS = (DESIGN2CODE, DESIGN2CODE_OCR)
