"""The index of many runs in a browser."""

from __future__ import annotations

from pathlib import Path

import pytest

from i2s_sdk.report import write_report
from i2s_sdk.report.runs_index import write_index
from i2s_sdk.run.storage.folder import read_run
from i2s_sdk.stats.aggregate import results_document, summarize_run
from report_visits import Visit
from run_folders import make_run

pytestmark = pytest.mark.integration


def test_runs_are_sorted_by_the_column_that_is_pressed_and_lead_to_their_reports(
    visit: Visit, tmp_path: Path
) -> None:
    values = {}
    for name in ("a", "b", "c"):
        run = make_run(tmp_path / name, 20, salt=name, pictures=False, model=f"model-{name}")
        stored = read_run(run)
        summary = summarize_run(stored)
        (run / "results.json").write_bytes(results_document(summary, stored.manifest))
        values[name] = summary.tasks["latex"].values["ems"] or 0.0
        write_report([run])
    make_run(tmp_path / "d", 2, pictures=False)
    page = visit.page
    page.goto(write_index(tmp_path).path.resolve().as_uri())
    names = page.locator("tbody th")
    head = page.get_by_role("columnheader", name="latex ems")
    ascending = sorted(values, key=values.__getitem__)
    for order, shown in (("ascending", ascending), ("descending", ascending[::-1])):
        head.get_by_role("button").focus()
        page.keyboard.press("Enter")
        assert head.get_attribute("aria-sort") == order
        assert names.all_inner_texts() == [*shown, "d"]
    page.get_by_role("link", name="b", exact=True).click()
    page.wait_for_selector("article")
    assert page.locator("h1").inner_text() == "model-b"
    assert visit.said == []
