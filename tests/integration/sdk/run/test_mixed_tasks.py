"""One run over a task that renders and one that does not."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from colour_task.spec import COLOUR
from i2s_sdk import Settings, evaluate, read_run
from i2s_sdk.errors import ModelError
from i2s_sdk.instances.instance import Instance
from i2s_sdk.models.model import Completion
from i2s_sdk.tasks.question import Question
from i2s_sdk.tasks.registry import SPECS
from tiny_formulas import write_tiny_formulas

pytestmark = pytest.mark.integration


class _Busy:
    """A model that answers the questions of some tasks."""

    name, fingerprint = "busy", ""

    def __init__(self, *tasks: str) -> None:
        self.tasks = tasks

    async def complete(self, instance: Instance, question: Question) -> Completion:
        if instance.task not in self.tasks:
            raise ModelError("it is busy")
        return Completion("$x$" if instance.task == "latex" else "red")


@pytest.mark.parametrize("first", ["latex", "colour"])
def test_a_run_whose_rest_is_of_one_task_is_resumed(
    first: str, running_without_networks: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(SPECS, COLOUR.name, COLOUR)
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[3] / "support"))
    data = write_tiny_formulas(tmp_path / "data", 2).folder
    Image.new("RGB", (8, 8), "red").save(data / "red.png")
    line = {"id": "red", "task": "colour", "subset": "plain", "inputs": {"image": "red.png"}}
    with (data / "instances.jsonl").open("a") as index:
        index.write(json.dumps({**line, "target": ["red"]}) + "\n")
    settings, run = replace(running_without_networks, fail_on_error="100%"), tmp_path / "run"
    evaluate(data, _Busy(first), out=run, settings=settings)
    result = evaluate(data, _Busy("latex", "colour"), out=run, settings=settings)
    assert result.summary.scored == 3
    assert {"accepted", "ems", "edit"} <= read_run(run).manifest.options.metrics.keys()
    assert read_run(run).records["red"].score.metrics["accepted"] == 1.0
