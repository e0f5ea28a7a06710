"""A served report in a browser while its run grows."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from queue import SimpleQueue

import pytest

from i2s_sdk.report.serving import serve_report
from i2s_sdk.run.storage.codec import record_line
from report_visits import Visit
from run_folders import instances, record_of, write_run

pytestmark = pytest.mark.integration


def test_new_results_are_offered_and_shown_with_the_same_view(
    visit: Visit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("i2s_sdk.report.serving.FRESH_SECONDS", 0.0)
    ready: SimpleQueue[str] = SimpleQueue()
    threading.Thread(
        target=serve_report, args=([tmp_path / "run"],), kwargs={"on_ready": ready.put}, daemon=True
    ).start()
    page = visit.page
    page.goto(ready.get(timeout=60))
    page.get_by_text("has not begun").wait_for()
    planned = instances(6)
    records = [record_of(one) for one in planned]
    folder = write_run(tmp_path / "run", planned, {record.instance.id: record for record in records[:2]})
    page.get_by_text("of 6 samples scored").wait_for()
    page.get_by_role("link", name="Report").click()
    page.locator("article").first.wait_for()
    assert visit.count == "2 of 2 samples"
    page.select_option("[name=view]", "grid")
    with (folder / "records.jsonl").open("a") as file:
        file.writelines(json.dumps(record_line(record)) + "\n" for record in records[2:])
    page.get_by_role("button", name="show new results").click()
    page.locator(".tile").nth(5).wait_for()
    assert page.locator("[name=view]").input_value() == "grid"
    assert page.locator(".tile").count() == 6
    assert visit.said == []
