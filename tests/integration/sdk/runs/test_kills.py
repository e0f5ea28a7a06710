"""Runs that are killed at any moment and started again: nothing lost, nothing twice, the same numbers."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from chat_server import ChatServer
from i2s_sdk.runs.folder import ANSWERS, CALLS, RECORDS, RENDERINGS, picture_name, read_records
from i2s_sdk.runs.journal import unanswered_calls
from i2s_sdk.runs.ledger import read_lines
from tiny_formulas import TinyFormulas, write_tiny_formulas

pytestmark = pytest.mark.integration

SAMPLES, KILLS = 300, 10


def _command(data: Path, model: str, run: Path, *more: str) -> list[str]:
    words = ["evaluate", "--data", str(data), "--model", model, "--out", str(run), "--json", *more]
    return [sys.executable, "-m", "i2s_sdk.cli", *words]


def _lines(run: Path) -> int:
    """Return how many lines a run has kept in all its files."""
    files = (run / name for name in (ANSWERS, RENDERINGS, RECORDS, CALLS))
    return sum(file.read_bytes().count(b"\n") for file in files if file.exists())


def _kill_at(command: list[str], environment: dict[str, str], run: Path, moment: int) -> bool:
    """Start a command and kill it once the run has so many lines; return whether it was still at work."""
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as one:
        while one.poll() is None and _lines(run) < moment:
            time.sleep(0.002)  # a look, not a wait for something
        one.kill()
    return one.returncode == -9


def _finished(command: list[str], environment: dict[str, str]) -> dict[str, object]:
    answer = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, timeout=600
    )
    assert answer.returncode == 0, answer.stderr
    document: dict[str, object] = json.loads(answer.stdout)
    return document


def _once_each(run: Path, data: TinyFormulas) -> None:
    """Assert that each file has each sample once, and that every picture is whole."""
    for name in (ANSWERS, RENDERINGS, RECORDS):
        found = Counter(line["id"] for line in read_lines(run / name))
        assert found == Counter(data.ids), name
        assert (run / name).read_bytes().endswith(b"\n")
    for record in read_records(run).values():
        for digest in filter(None, (record.reference_sha256, record.rendering_sha256)):
            assert (run / picture_name(digest)).stat().st_size > 0


@pytest.mark.timeout(1200)
def test_killed_at_ten_moments_a_run_ends_with_the_bytes_of_an_undisturbed_one(
    tmp_path: Path, light_endpoints: dict[str, str]
) -> None:
    data = write_tiny_formulas(tmp_path / "data", SAMPLES)
    answers = tmp_path / "answers.jsonl"
    rows = ({"id": name, "completion": text} for name, text in data.answers().items())
    answers.write_text("".join(json.dumps(row) + "\n" for row in rows))
    environment = {**os.environ, **light_endpoints}
    disturbed = _command(data.folder, f"replay:{answers}", tmp_path / "disturbed")
    moments = sorted(random.Random(3).sample(range(3 * SAMPLES), KILLS))
    killed = [_kill_at(disturbed, environment, tmp_path / "disturbed", moment) for moment in moments]
    assert all(killed)
    _finished(disturbed, environment)
    _finished(_command(data.folder, f"replay:{answers}", tmp_path / "quiet"), environment)
    for run in ("disturbed", "quiet"):
        _once_each(tmp_path / run, data)
    quiet, found = ((tmp_path / run / "results.json").read_bytes() for run in ("quiet", "disturbed"))
    assert found == quiet


def test_no_call_that_was_answered_is_made_again_and_those_cut_off_are_named(
    tmp_path: Path, light_endpoints: dict[str, str]
) -> None:
    pytest.importorskip("openai")
    data = write_tiny_formulas(tmp_path / "data", 40)
    run = tmp_path / "run"
    with ChatServer(
        data.answers(), data.questions, lambda question, before: "answer:0.05"
    ).serving() as server:
        options = ["--base-url", server.base, "--cache", "none", "--model-jobs", "4"]
        command = _command(data.folder, "openai/tiny", run, *options)
        environment = {**os.environ, **light_endpoints}
        kept: Counter[str] = Counter()
        for moment in (1, 30, 75, 120):
            assert _kill_at(command, environment, run, moment)
            for line in read_lines(run / ANSWERS):
                kept.setdefault(line["id"], server.came[line["id"]])
        document = _finished(command, environment)
        assert all(server.came[name] == before for name, before in kept.items())
        cut_off = unanswered_calls(run / CALLS, run / ANSWERS)
        assert document["unanswered_calls"] == cut_off
        assert 0 < cut_off.total() <= 4 * 4  # what four starts had in flight
        begun = Counter(line["id"] for line in read_lines(run / CALLS))
        assert begun - cut_off == Counter(data.ids)
        assert all(server.came[name] <= begun[name] for name in data.ids)
        _once_each(run, data)
