"""The index of many runs below a folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from i2s_sdk.cli.main import run as command
from i2s_sdk.errors import UsageError
from i2s_sdk.report import write_report
from i2s_sdk.report.runs_index import write_index
from i2s_sdk.run.storage.folder import read_run
from i2s_sdk.stats.aggregate import results_document, summarize_run
from run_folders import make_run


def finished(path: Path, started: str, **changes: object) -> Path:
    """Write a run with its results, begun then, and its report."""
    run = make_run(path, 10, pictures=False, **changes)
    stored = read_run(run)
    (run / "results.json").write_bytes(results_document(summarize_run(stored), stored.manifest))
    manifest = json.loads((run / "manifest.json").read_text())
    manifest["about"] |= {"started": started, "data": "/srv/inhouse/data/papers"}
    (run / "manifest.json").write_text(json.dumps(manifest))
    write_report([run])
    return run


def test_every_run_has_a_row_with_its_main_values_the_newest_first(tmp_path: Path) -> None:
    old = finished(tmp_path / "old", "2026-01-01T00:00:00+00:00", model="replay:/srv/inhouse/answers.jsonl")
    finished(tmp_path / "deep" / "below" / "new", "2026-02-01T00:00:00+00:00")
    make_run(tmp_path / "under way", 3, pictures=False)
    index = write_index(tmp_path)
    assert [run.folder for run in index.runs] == ["deep/below/new", "old", "under way"]
    new, before, under_way = index.runs
    assert (before.model, before.data, before.profile) == ("replay:answers.jsonl", "papers", "paper")
    assert (under_way.scored, dict(under_way.values), under_way.link) == (None, {}, "")
    results = json.loads((old / "results.json").read_text())
    assert before.scored == (results["scored"], results["planned"])
    assert before.values == {task: of["values"]["ems"] for task, of in results["tasks"].items()}
    page = index.path.read_text()
    assert index.path == tmp_path / "index.html"
    assert f'<a href="{new.link}">deep/below/new</a>' in page
    assert "not finished" in page
    assert "inhouse" not in page


def test_links_lead_to_reports_also_from_elsewhere(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    one = finished(runs / "a run", "2026-01-01T00:00:00+00:00")
    other = finished(runs / "b", "2026-01-02T00:00:00+00:00", model="other")
    write_report([one, other], runs / "both")
    index = write_index(runs, tmp_path / "site" / "all.html")
    assert index.reports == ["../runs/both"]
    page = index.path.read_text()
    for folder in ("a%20run", "b", "both"):
        assert f'href="../runs/{folder}/index.html"' in page


def test_an_index_is_written_again_and_no_other_page_is_written_over(tmp_path: Path) -> None:
    runs = [finished(tmp_path / name, "2026-01-01T00:00:00+00:00", model=name) for name in "ab"]
    write_index(tmp_path)
    write_index(tmp_path)
    written = write_report(runs, tmp_path)
    with pytest.raises(UsageError, match="is another page"):
        write_index(tmp_path)
    assert "is ahead of" in Path(str(written.path)).read_text()


def test_what_is_no_run_is_left_out_with_a_reason(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no run is below it"):
        write_index(tmp_path)
    finished(tmp_path / "good", "2026-01-01T00:00:00+00:00")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "manifest.json").write_text('{"name": "an app"}')
    index = write_index(tmp_path)
    assert [run.folder for run in index.runs] == ["good"]
    assert [notice.partition(":")[0] for notice in index.notices] == ["other is left out"]


def test_nothing_of_a_run_becomes_markup(tmp_path: Path) -> None:
    finished(tmp_path / "<i>", "2026-01-01T00:00:00+00:00", model='"><script>alert(1)</script>')
    page = write_index(tmp_path).path.read_text()
    assert page.count("<script>") == 1
    assert "<i>" not in page


def test_the_command_prints_the_index_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    finished(tmp_path / "a", "2026-01-01T00:00:00+00:00")
    assert command(["report", "--all", str(tmp_path), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["main_metrics"] == {"latex": "ems", "webpage": "ems", "music": "ems"}
    assert document["runs"][0]["values"].keys() == document["main_metrics"].keys()
    assert command(["report", "--all", str(tmp_path)]) == 0
    assert capsys.readouterr().out == f"Index of 1 runs: {tmp_path / 'index.html'}\n"
    assert command(["report"]) == 2
    assert command(["report", str(tmp_path / "a"), "--all", str(tmp_path)]) == 2
