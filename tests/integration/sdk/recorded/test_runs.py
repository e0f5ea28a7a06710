"""Runs of version 0.1.0 open, report, resume, merge and export with the numbers that they had."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from i2s_client import RenderClient
from i2s_sdk.cli.main import group
from i2s_sdk.run.storage.codec import record_line
from i2s_sdk.run.storage.folder import MANIFEST, RECORDS, RESULTS, read_records
from i2s_sdk.settings import Settings
from recorded import RECORDED, lost, recorded_json, recorded_run, without_intervals

pytestmark = pytest.mark.integration

RUNS = ("finished", "interrupted", "shard-1", "shard-2")


def command(*words: str) -> str:
    """Run a command in this process and return what it printed; it succeeds."""
    done = CliRunner().invoke(group, words, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.parametrize("name", RUNS)
def test_every_record_is_read_whole(name: str, tmp_path: Path) -> None:
    run = recorded_run(name, tmp_path)
    kept = [json.loads(line) for line in (run / RECORDS).read_text().splitlines()]
    records = read_records(run)
    assert len(records) == len({one["id"] for one in kept})
    for one in kept:
        assert list(lost(one, json.loads(json.dumps(record_line(records[one["id"]]))))) == []


def test_the_export_has_every_column_and_value(tmp_path: Path) -> None:
    run = recorded_run("finished", tmp_path)
    command("export", str(run), "-o", str(tmp_path / "records.jsonl"))
    now, before = (
        [json.loads(line) for line in path.read_text().splitlines()]
        for path in (tmp_path / "records.jsonl", RECORDED / "finished.jsonl")
    )
    assert list(lost(before, now)) == []


def test_the_tables_have_every_value(tmp_path: Path) -> None:
    run = recorded_run("finished", tmp_path)
    assert list(lost(recorded_json("table.json"), json.loads(command("table", str(run), "--json")))) == []


@pytest.mark.parametrize("name", RUNS)
def test_the_report_shows_every_sample(name: str, tmp_path: Path) -> None:
    run = recorded_run(name, tmp_path)
    command("report", str(run))
    page = (run / "index.html").read_text()
    records = read_records(run)
    assert records
    for sample in records:
        assert sample in page


def test_shards_are_merged_into_the_numbers_of_one_run(tmp_path: Path) -> None:
    shards = [recorded_run(name, tmp_path) for name in ("shard-2", "shard-1")]
    whole = recorded_run("finished", tmp_path)
    out = tmp_path / "merged"
    command("merge", *map(str, shards), "--out", str(out), "--fail-on-error", "10")
    before, now = (without_intervals(json.loads((one / RESULTS).read_text())) for one in (whole, out))
    assert list(lost(before, now)) == []


def test_an_interrupted_run_is_finished_with_the_numbers_of_one_that_was_not(
    tmp_path: Path, running_without_networks: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, whole = recorded_run("interrupted", tmp_path), recorded_run("finished", tmp_path)
    before = (run / RECORDS).read_bytes()
    # The engines of this machine may have other versions than those of the recording.
    with RenderClient(str(running_without_networks.render_latex)) as client:
        digest = client.describe().engine.digest
    manifest = json.loads((run / MANIFEST).read_text())
    manifest["options"]["engines"]["render-latex"] = digest
    (run / MANIFEST).write_text(json.dumps(manifest))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("I2S_RENDER_LATEX", str(running_without_networks.render_latex))
    monkeypatch.setenv("I2S_METRICS", str(running_without_networks.metrics))
    monkeypatch.setenv("I2S_RENDER_HTML", "127.0.0.1:1")
    monkeypatch.setenv("I2S_START_SECONDS", "0.2")
    words = ["--data", "data", "--model", "replay:answers.jsonl", "--out", str(run), "--fail-on-error", "10"]
    command("evaluate", *words)
    assert (run / RECORDS).read_bytes().startswith(before)
    earlier, now = (without_intervals(json.loads((one / RESULTS).read_text())) for one in (whole, run))
    assert list(lost(earlier, now)) == []
