"""A run stage by stage, and what commands end with."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tiny_formulas import write_tiny_formulas

pytestmark = pytest.mark.integration

COUNT = 10
NOWHERE = {"I2S_RENDER_LATEX": "127.0.0.1:1", "I2S_METRICS": "127.0.0.1:1", "I2S_START_SECONDS": "0.2"}


@pytest.fixture
def words(tmp_path: Path) -> list[str]:
    """Data and model, as every command that begins a run has them."""
    data = write_tiny_formulas(tmp_path / "data", COUNT)
    answers = tmp_path / "answers.jsonl"
    rows = ({"id": name, "completion": text} for name, text in data.answers().items())
    answers.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return ["--data", str(data.folder), "--model", f"replay:{answers}"]


@pytest.fixture
def command(light_endpoints: dict[str, str], tmp_path: Path):
    def run(*arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "i2s_sdk.cli", *arguments],
            env={**os.environ, **light_endpoints, **more},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )

    return run


def test_three_commands_give_the_run_that_evaluate_gives(command, words, tmp_path: Path) -> None:
    whole = command("evaluate", *words, "--out", "whole", "--json")
    assert whole.returncode == 0, whole.stderr
    # A stage that needs a service that is not there would end with exit code 1.
    generated = command("generate", *words, "--out", "run", **NOWHERE)
    assert generated.returncode == 0, generated.stderr
    assert generated.stdout == f"{COUNT} of {COUNT} samples have an answer: run\n"
    assert "10 of 10 answers" in generated.stderr
    rendered = command("render-run", "run", I2S_METRICS="127.0.0.1:1", I2S_START_SECONDS="0.2")
    assert rendered.returncode == 0, rendered.stderr
    assert rendered.stdout == f"{COUNT} of {COUNT} samples have been rendered: run\n"
    scored = command("score-run", "run", "--json", I2S_RENDER_LATEX="127.0.0.1:1", I2S_START_SECONDS="0.2")
    assert scored.returncode == 0, scored.stderr
    numbers, expected = json.loads(scored.stdout), json.loads(whole.stdout)
    assert numbers["tasks"] == expected["tasks"]
    assert (tmp_path / "run/results.json").read_bytes() == (tmp_path / "whole/results.json").read_bytes()
    again = command("evaluate", *words, "--out", "run", **NOWHERE)  # nothing is left to do
    assert again.returncode == 0, again.stderr


def test_stages_stop_short_with_exit_code_3_and_evaluate_goes_on(command, words, tmp_path: Path) -> None:
    assert command("generate", *words, "--out", "run", "--limit", "4").returncode == 0
    lines = (tmp_path / "run/answers.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "run/answers.jsonl").write_text("".join(lines[:2]))
    rendered = command("render-run", "run")
    assert rendered.returncode == 3
    assert "2 of 4" in rendered.stderr
    assert command("render-run", "run", "--fail-on-error", "50%").returncode == 0
    document = json.loads(command("score-run", "run", "--json").stdout)
    assert (document["scored"], document["planned"], document["covered"]) == (2, 4, False)
    ended = command("evaluate", *words, "--out", "run", "--limit", "4", "--json")
    assert (ended.returncode, json.loads(ended.stdout)["scored"]) == (0, 4)


def test_a_data_set_that_has_moved_is_named_and_another_one_refused(command, words, tmp_path: Path) -> None:
    assert command("generate", *words, "--out", "run").returncode == 0
    (tmp_path / "data").rename(tmp_path / "moved")
    lost = command("render-run", "run")
    assert lost.returncode == 2
    assert "instances.jsonl" in lost.stderr
    other = write_tiny_formulas(tmp_path / "other", COUNT + 1)
    wrong = command("render-run", "run", "--data", str(other.folder))
    assert wrong.returncode == 2
    assert "data_sha256" in wrong.stderr
    assert command("render-run", "run", "--data", "moved").returncode == 0


def test_a_shard_takes_its_part_and_a_selection_its_samples(command, words, tmp_path: Path) -> None:
    planned = 0
    for part in ("1/2", "2/2"):
        answer = command("generate", *words, "--shard", part, "--json", **NOWHERE)
        document = json.loads(answer.stdout)
        assert Path(document["run"]).name.endswith(f"shard-{part.replace('/', '-')}")
        planned += document["planned"]
        listed = (tmp_path / document["run"] / "instances.jsonl").read_text().splitlines()
        assert len(listed) == COUNT  # of the whole run
    assert planned == COUNT
    one = command("generate", *words, "--sample-id", "tiny-3", "--out", "one", "--json", **NOWHERE)
    assert json.loads(one.stdout)["planned"] == 1


def test_a_dry_run_counts_and_leaves_nothing(command, words, tmp_path: Path) -> None:
    answer = command("evaluate", *words[:2], "--model", "openai/gpt-4o", "--dry-run", "--json", **NOWHERE)
    document = json.loads(answer.stdout)
    assert (answer.returncode, document["samples"], document["calls"]) == (0, COUNT, COUNT)
    assert document["tokens_out_at_most"] == COUNT * 2000
    assert document["cost_at_most"] > 0
    told = command("evaluate", *words[:2], "--model", "openai/nobody-1", "--dry-run", **NOWHERE)
    assert "cost        not known" in told.stdout
    assert not (tmp_path / "runs").exists()


def test_a_service_that_nobody_serves_is_exit_code_1(command, words) -> None:
    answer = command("evaluate", *words, "--out", "run", **NOWHERE)
    assert answer.returncode == 1
    assert "127.0.0.1:1" in answer.stderr
    assert "Traceback" not in answer.stderr


def test_a_run_of_other_options_is_exit_code_2_and_is_left_as_it_was(command, words, tmp_path: Path) -> None:
    assert command("generate", *words, "--out", "run").returncode == 0
    before = {path: path.read_bytes() for path in (tmp_path / "run").glob("*.json*")}
    answer = command("generate", *words, "--out", "run", "--limit", "3", "--profile", "helm")
    assert answer.returncode == 2
    assert "limit: none there, 3 now" in answer.stderr
    assert "profile: paper there, helm now" in answer.stderr
    assert {path: path.read_bytes() for path in (tmp_path / "run").glob("*.json*")} == before


def test_an_interrupted_stage_is_exit_code_130_and_goes_on(
    words, light_endpoints: dict[str, str], tmp_path: Path
) -> None:
    program = "import sys,time\nfor line in sys.stdin:\n    time.sleep(60)\n"
    (tmp_path / "slow.py").write_text(program)
    model = f"command:{sys.executable} {tmp_path / 'slow.py'}"
    arguments = ["generate", "--data", words[1], "--model", model, "--out", str(tmp_path / "run")]
    with subprocess.Popen(
        [sys.executable, "-m", "i2s_sdk.cli", *arguments],
        env={**os.environ, **light_endpoints},
        stderr=subprocess.PIPE,
        text=True,
    ) as one:
        calls = tmp_path / "run" / "calls.jsonl"
        while one.poll() is None and not (calls.exists() and calls.read_bytes().endswith(b"\n")):
            time.sleep(0.01)  # a look, not a wait for something
        one.send_signal(signal.SIGTERM)
        _, said = one.communicate(timeout=60)
    assert one.returncode == 130, said
    assert "interrupted" in said
    assert 1 <= len(calls.read_text().splitlines()) <= COUNT
