"""What data sets, commands and reports know of the webpage task."""

from __future__ import annotations

from i2s_sdk.instances.content import Content
from i2s_sdk.instances.site_files import INDEXES
from i2s_sdk.tasks.ocr_page import of_one_page
from i2s_sdk.tasks.published import published_tables
from i2s_sdk.tasks.question import Question
from i2s_sdk.tasks.schemas import IMAGE_AND_ASSETS, STRUCTURE
from i2s_sdk.tasks.spec import Size, TaskSpec
from i2s_sdk.tasks.structure import Origin
from i2s_sdk.tasks.webpage.ocr import as_webpage
from i2s_sdk.tasks.webpage.site import as_json, site_structure
from i2s_sdk.tasks.webpage.task import WebpageTask


def _answer(content: Content, question: Question) -> str:
    """Return the files of a site that are text.

    Pictures reach the page as assets, and other binary files cannot be written in an answer.
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
)
