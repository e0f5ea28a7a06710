"""A run over the bundled examples has the same results, to the byte, on a busy machine as on a quiet one."""

from __future__ import annotations

from pathlib import Path

import pytest

from i2s_sdk.run.storage.folder import RESULTS
from load_parts import chosen_examples
from load_runs import evaluate, quiet_run, run_records


@pytest.mark.parametrize(("model", "task"), chosen_examples())
def test_verdicts_pictures_and_scores_are_those_of_a_quiet_machine(
    tmp_path: Path, model: str, task: str
) -> None:
    quiet, busy = quiet_run(model, task), tmp_path / "busy"
    evaluate(model, task, busy)
    assert run_records(busy) == run_records(quiet)
    assert (busy / RESULTS).read_bytes() == (quiet / RESULTS).read_bytes()
