"""The page of a run."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

from i2s_sdk.data import Instance
from i2s_sdk.profile import Profile
from i2s_sdk.render_types import Verdict
from i2s_sdk.report.page import render_page
from i2s_sdk.runs.aggregate import aggregate
from i2s_sdk.runs.manifest import Manifest, Options
from i2s_sdk.runs.outcome import Outcome
from i2s_sdk.runs.record import Failure, FirstError, Record, RepairNote

EVIL = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>&amp;"


class Reader(HTMLParser):
    """Collects tags, attributes and text."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.attributes: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}
        self.links += [value or "" for name, value in attrs if name in ("src", "href")]

    def handle_data(self, data: str) -> None:
        self.text += data


def _page(record: Record, **options: str) -> Reader:
    manifest = Manifest(
        Options("paper", options.get("model", "m"), "", "", ("latex",), None, {}, {"ems": "1"}, {}, "1"),
        unavailable={"lpips": EVIL},
        about={EVIL: EVIL},
    )
    instance = Instance(record.id, record.task, record.subset, Path("a.png"))
    summary = aggregate([instance], {record.id: record}, {"latex": ["ems"]}, Profile.PAPER)
    reader = Reader()
    reader.feed(render_page(manifest, summary, [record]))
    return reader


def _evil_record() -> Record:
    return Record(
        id=EVIL,
        task="latex",
        subset=EVIL,
        difficulty=EVIL,
        outcome=Outcome.SCORED,
        verdict=Verdict.COMPILE_ERROR,
        metrics={EVIL: 0.0, "ems": None},
        undefined={"ems": EVIL},
        repairs=(RepairNote(EVIL, EVIL, EVIL),),
        message=EVIL,
        error=FirstError(EVIL, EVIL, 3),
        completion=EVIL,
        assets=(EVIL,),
        structure=EVIL,
        failure=Failure(EVIL, EVIL),
        reference_sha256="ab" * 32,
    )


def test_nothing_from_outside_becomes_markup() -> None:
    page = _page(_evil_record(), model=EVIL)
    assert "script" not in page.tags
    assert page.tags.count("img") == 1  # the reference
    assert not {name for name in page.attributes if name.startswith("on")}
    assert page.text.count("<script>alert(1)</script>") > 10


def test_the_page_asks_nobody_for_anything() -> None:
    page = _page(_evil_record())
    digest = "ab" * 32
    assert set(page.links) == {f"pictures/ab/{digest}.png"}
    assert "link" not in page.tags
    css = Path(__import__("i2s_sdk.report.page", fromlist=["_"]).__file__).with_name("page.css").read_text()
    assert not re.search(r"url\(|@import|http", css)


def test_a_failure_of_ours_is_shown_as_such_and_not_as_a_verdict() -> None:
    record = Record(
        "a",
        "latex",
        "equation",
        "",
        Outcome.METRIC_FAILURE,
        verdict=Verdict.RENDERED,
        failure=Failure("ServiceUnavailableError", "nobody there"),
    )
    page = _page(record)
    assert "metric failure" in page.text
    assert "0 of 1 samples scored" in page.text
    assert "nobody there" in page.text
