"""Blocks of text of both pages, linked with each other, in a browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from i2s_sdk.run.storage.manifest import PlannedInstance
from i2s_sdk.run.storage.record import Outcome
from i2s_sdk.scoring.scorer import Scorable
from i2s_sdk.tasks.webpage.block_match import Block
from i2s_sdk.tasks.webpage.layout import ShownPage, page_to_text
from i2s_sdk.tasks.webpage.scorer import NAME, LayoutScorer
from i2s_wire.render.rendering import Verdict
from report_visits import Visit, one_sample
from run_folders import keep_picture, picture, record_of, rendered_of
from sample_records import changed

pytestmark = pytest.mark.integration

HOSTILE = "<img src=x onerror=alert(1)> \u202eabc"


def _page(*texts: str) -> str:
    blocks = [Block(text, (0.1, at / 10, 0.3, 0.06), (0, 0, 0)) for at, text in enumerate(texts)]
    return page_to_text(ShownPage((*blocks, Block("all around", (0, 0, 1, 1), (0, 0, 0))), {}))


@pytest.fixture
def report(tmp_path: Path) -> Path:
    """The report of a page on which a block is missing, one is extra and one differs."""
    reference = _page("heading", "only here", "hello world", "at the end")
    page = _page(HOSTILE, "heading", "hello word", "at the end")
    values = LayoutScorer().score(Scorable("a", drawn=page, drawn_truth=reference))
    folder = tmp_path / "run"
    names = [keep_picture(folder, picture(seed, (640, 480))) for seed in ("one", "other")]
    record = changed(
        record_of(PlannedInstance("site", "webpage", "css")),
        outcome=Outcome.SCORED,
        usable=True,
        verdict=Verdict.RENDERED,
        reference_sha256=names[0],
        rendering_sha256=names[1],
        metrics=dict(values.metrics),
        detail={NAME: dict(values.detail)},
    )
    return one_sample(folder, record, rendered_of(record))


def _opened(visit: Visit, report: Path) -> Page:
    page = visit.open(report)
    page.locator("article h3 a").click()
    page.locator("#sample .placed").wait_for()
    return page


def _chosen(page: Page) -> list[str | None]:
    """Return the class and the side of the marks that are chosen."""
    return [
        f"{one.get_attribute('class')} {one.evaluate('mark => mark.closest(`figure`).innerText')}"
        for one in page.locator("#sample .chosen").all()
    ]


def test_what_is_missing_or_extra_is_listed_before_pairs(visit: Visit, report: Path) -> None:
    page = _opened(visit, report)
    rows = [one.inner_text().split("\n") for one in page.locator(".placed li").all()]
    assert [row[0] for row in rows] == ["missing", "extra", "text differs", *["matches"] * 3]
    assert rows[0][1] == "only here"
    assert rows[1][1].startswith("<img src=x")
    assert rows[2][1:3] == ["hello world", "hello word"]
    counts = page.locator("#sample .panel .legend span").all_inner_texts()
    assert counts == ["matches: 3", "text differs: 1", "missing: 1", "extra: 1"]
    assert page.locator("#sample .side").count() == 2
    assert visit.said == []
    assert all(address.startswith(("file:", "data:", "blob:")) for address in visit.asked)


def test_a_mark_under_the_pointer_marks_the_block_of_the_other_page_and_its_row(
    visit: Visit, report: Path
) -> None:
    page = _opened(visit, report)
    page.locator(".side").nth(0).locator(".on-image.changed").hover()
    assert _chosen(page) == ["on-image changed chosen reference", "on-image changed chosen rendering"]
    selected = page.locator(".placed [aria-selected=true]")
    assert selected.count() == 1
    assert "hello world" in selected.inner_text()
    page.locator(".placed li").first.hover()
    assert _chosen(page) == ["on-image missed chosen reference"]
    assert visit.said == []


def test_arrow_keys_choose_blocks_in_the_list(visit: Visit, report: Path) -> None:
    page = _opened(visit, report)
    name = page.locator("#sample h2").inner_text()
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.getAttribute('role')") == "listbox":
            break
    assert _chosen(page) == ["on-image missed chosen reference"], "the first one, once the list has the focus"
    page.keyboard.press("ArrowDown")
    assert _chosen(page) == ["on-image extra chosen rendering"]
    page.keyboard.press("End")
    assert len(_chosen(page)) == 2
    active = page.locator(".placed").get_attribute("aria-activedescendant")
    assert page.locator(f"#{active}").get_attribute("aria-selected") == "true"
    page.keyboard.press("ArrowDown")
    assert len(_chosen(page)) == 2, "nothing follows the last one"
    page.keyboard.press("Home")
    assert _chosen(page) == ["on-image missed chosen reference"]
    assert page.locator("#sample h2").inner_text() == name
    assert visit.said == []


def test_the_list_scrolls_to_what_is_chosen_on_an_image_and_the_page_stays(
    visit: Visit, report: Path
) -> None:
    page = _opened(visit, report)
    page.evaluate("document.querySelector('.placed').style.maxHeight = '30px'")
    before = page.evaluate("scrollY")
    page.locator(".side").nth(1).locator(".on-image.matched").last.dispatch_event("pointermove")
    assert page.evaluate("document.querySelector('.placed').scrollTop") > 0
    assert page.evaluate("scrollY") == before


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_blocks_of_a_narrow_page_stand_one_below_the_other(
    browser: Browser, report: Path, scheme: str
) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 800}, color_scheme=scheme)
    _opened(Visit(page), report)
    sides = [one.bounding_box() for one in page.locator(".side").all()]
    assert sides[0] is not None
    assert sides[1] is not None
    assert sides[1]["y"] >= sides[0]["y"] + sides[0]["height"]
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.close()
