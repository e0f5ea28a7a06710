"""A run over the bundled examples has the same results, to the byte, on a busy machine as on a quiet one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from busy_machine import busy_machine
from load_parts import MODELS, TASKS, chosen_examples

from i2s_sdk.runlog.folder import RECORDS, RESULTS


def _evaluate(model: str, task: str, out: Path) -> None:
    name, _ = MODELS[model]
    words = ["evaluate", "--data", str(TASKS[task]), "--task", task, "--model", name]
    words += ["--out", str(out), "--json"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("I2S_RENDER_")}
    # What is up on this machine is not ours, and services take their time to start.
    environment.update(XDG_STATE_HOME=str(out.parent / "state"), I2S_START_SECONDS="1800")
    command = [sys.executable, "-m", "i2s_sdk.cli", *words]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]


def _records(run: Path) -> dict[str, dict[str, object]]:
    """Return the records of a run by sample, less what the clock says."""
    lines = (json.loads(line) for line in (run / RECORDS).read_text().splitlines())
    return {one["id"]: one | {"seconds": None} for one in lines}


@pytest.mark.parametrize(("model", "task"), chosen_examples())
def test_verdicts_pictures_and_scores_are_those_of_a_quiet_machine(
    tmp_path: Path, model: str, task: str
) -> None:
    quiet, busy = tmp_path / "quiet", tmp_path / "busy"
    _evaluate(model, task, quiet)
    with busy_machine():
        _evaluate(model, task, busy)
    assert _records(busy) == _records(quiet)
    assert (busy / RESULTS).read_bytes() == (quiet / RESULTS).read_bytes()
