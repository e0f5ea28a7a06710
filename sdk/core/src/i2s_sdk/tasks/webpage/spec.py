"""The specification of the webpage task: names, ground truth, and the answers of baselines."""

from __future__ import annotations

import html
import json

from i2s_sdk.instances.instance import Content
from i2s_sdk.instances.site_files import INDEXES
from i2s_sdk.tasks.benchmark import published_tables
from i2s_sdk.tasks.ocr_page import Colour, OcrLine, OcrPage, of_one_page
from i2s_sdk.tasks.question import Question
from i2s_sdk.tasks.spec import IMAGE_AND_ASSETS, STRUCTURE, Size, TaskSpec
from i2s_sdk.tasks.structure import Origin
from i2s_sdk.tasks.webpage.grades import GRADES
from i2s_sdk.tasks.webpage.site import as_json, site_structure
from i2s_sdk.tasks.webpage.task import WebpageTask
from i2s_sdk.tasks.webpage.view import view

_TEXT_HEIGHT = 0.78  # size of the letters as a share of the height of a line's box
_LETTER_WIDTH = 0.5  # of the letters of the font in the mean, as a share of their size


def page_of_lines(page: OcrPage) -> str:
    """Return a page with the lines that were read in an image as absolutely placed blocks."""
    lines = "\n".join(_block(page, line) for line in page.lines)
    return (
        "<!DOCTYPE html>\n"
        '<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Page</title>\n<style>\n'
        f"body {{ margin: 0; height: {page.height}px; position: relative; background: {_css(page.paper)}; "
        "font-family: Arial, Helvetica, sans-serif; }\n"
        "div { position: absolute; white-space: nowrap; }\n"
        f"</style>\n</head>\n<body>\n{lines}\n</body>\n</html>\n"
    )


def as_webpage(page: OcrPage) -> str:
    """Return a completion with the lines of a page as absolutely placed blocks."""
    listed = json.dumps([{"filename": "index.html", "content": page_of_lines(page)}], indent=1)
    # A backtick inside of the file would end the block for profile helm.
    return "```json\n" + listed.replace("`", "\\u0060") + "\n```"


def _block(page: OcrPage, line: OcrLine) -> str:
    widest = line.width / (_LETTER_WIDTH * len(line.text))
    size = max(1, round(min(_TEXT_HEIGHT * line.height, widest)))
    behind = "" if line.paper == page.paper else f"background:{_css(line.paper)};"
    return (
        f'<div style="left:{line.left}px;top:{line.top}px;width:{line.width}px;height:{line.height}px;'
        f"line-height:{line.height}px;font-size:{size}px;"
        f'{behind}color:{_css(line.ink)}">{html.escape(line.text)}</div>'
    )


def _css(colour: Colour) -> str:
    red, green, blue = colour
    return f"#{red:02x}{green:02x}{blue:02x}"


def _answer(content: Content, question: Question) -> str:
    """Return the files of a site that are text.

    Images reach the page as assets, and other binary files cannot be written in an answer.
    """
    files: dict[str, str] = {}
    for name, raw in (content.site or {}).items():
        if name in content.assets:
            continue
        try:
            files[name] = raw.decode("utf-8")
        except UnicodeDecodeError:
            continue
    # A backtick inside of a file would end the block for profile helm.
    listed = as_json(files).replace("`", "\\u0060")
    return f"```json\n{listed}\n```"


def _page(body: str) -> str:
    text = f"<!DOCTYPE html>\n<html><head><title>Page</title></head><body>{body}</body></html>\n"
    return _answer(Content(site={"index.html": text.encode()}), Question(()))


def _blank(size: Size | None) -> str:
    """Return a page without content; pages have the size of the viewport, as their references do."""
    return _page('<div style="background: #fefefe; width: 1px; height: 1px"></div>')


def _structure_fault(content: Content) -> str:
    there = any(name in (content.site or {}) for name in INDEXES)
    return "" if there else f"the site has no index page ({', '.join(INDEXES)})"


WEBPAGE = TaskSpec(
    name="webpage",
    title="Image2Webpage",
    published_table="A3",
    published=published_tables("i2s_sdk.tasks.webpage"),
    main_metric="ems",
    recommended_metric="text_f1",
    hub_name="webpage",
    subsets=("css", "html", "javascript"),
    wild_subsets=("wild", "wild_legacy"),
    structure_suffix=".tar.gz",
    structure_is_site=True,
    language="html",
    canary=site_structure({"index.html": "<h1>Image2Struct</h1>"}, Origin.BARE),
    open=WebpageTask,
    answer=_answer,
    structure_fault=_structure_fault,
    inputs=IMAGE_AND_ASSETS,
    target=STRUCTURE,
    mean_of_cells=True,
    blank=_blank,
    ocr_answer=of_one_page(as_webpage),
    constant=_page("<h1>Welcome</h1><p>This is my page. I write about my work and my projects.</p>"),
    grades=GRADES,
    view=view,
)
