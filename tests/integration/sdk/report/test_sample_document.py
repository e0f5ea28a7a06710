"""The document of a sample that was rendered, on its page."""

from __future__ import annotations

from pathlib import Path

import pytest

from i2s_sdk.run.storage.manifest import PlannedInstance
from i2s_sdk.run.storage.record import FirstError, Outcome
from i2s_wire.render.rendering import Verdict
from report_visits import Visit, one_sample, until
from run_folders import record_of, rendered_of
from sample_records import changed

pytestmark = pytest.mark.integration


def test_a_long_document_is_shown_at_the_line_of_its_error(visit: Visit, tmp_path: Path) -> None:
    one = PlannedInstance("long", "latex", "equation")
    document = "\n".join(f"% line {number}" for number in range(1, 201))
    record = changed(
        record_of(one),
        outcome=Outcome.SCORED,
        usable=False,
        verdict=Verdict.COMPILE_ERROR,
        error=FirstError("Undefined control sequence.", "UNDEFINED_COMMAND", 150),
        document_sha256="0" * 64,
        metrics={"ems": 0.0},
    )
    report = one_sample(tmp_path / "run", record, rendered_of(record, document=document))
    page = visit.open(report)
    page.locator("article h3 a").click()
    marked = page.locator("#sample ol.lines li.bad")
    marked.wait_for()
    assert marked.inner_text() == "% line 150"
    until(page, "document.querySelector('ol.lines').scrollTop > 0")
    shown = page.locator("#sample ol.lines").bounding_box()
    line = marked.bounding_box()
    assert shown is not None
    assert line is not None
    assert shown["y"] < line["y"] < shown["y"] + shown["height"]
    head = page.locator("#sample h2").bounding_box()
    assert head is not None
    assert head["y"] >= 0, "the page itself stays where it is"
    assert visit.said == []
