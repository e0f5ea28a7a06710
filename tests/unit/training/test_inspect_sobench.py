"""SO-Bench in inspect_ai: no service is started, and a question has its most tokens and its schema."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from i2s_sdk.data.folder import read_folder

pytest.importorskip("inspect_ai", reason="i2s-sdk[inspect] is not installed")
pytestmark = pytest.mark.slow

DATA = Path(__file__).parents[3] / "examples" / "sobench"
#: Their schemas have nothing that inspect_ai does not pass on, and the last one has.
NAMES = ("receipt-cafe", "form-volunteer", "screen-files")
_RUN = """
import json, sys
from inspect_ai import eval
from inspect_ai.model import ModelOutput, ModelUsage, get_model
outputs = [ModelOutput.from_content("mockllm/model", one) for one in json.loads(sys.argv[2])]
for one in outputs:
    one.usage = ModelUsage()  # or the tokens are counted by a file of the network
model = get_model("mockllm/model", custom_outputs=outputs)
(log,) = eval("i2s/sobench", model=model, task_args={"data": sys.argv[1]}, sample_id=sys.argv[3].split(","),
              max_samples=1, max_connections=1, display="none", fail_on_error=False)
found = {}
for one in log.samples:
    asked = [event for event in one.events if event.event == "model"]
    schema = asked[0].config.response_schema if asked else None
    found[one.id] = {
        "scores": one.scores["round_trip"].value if one.scores else None,
        "error": one.error.message if one.error else "",
        "max_tokens": asked[0].config.max_tokens if asked else None,
        "schema": schema.json_schema.model_dump(exclude_unset=True) if schema else None,
        "roles": [message.role for message in asked[0].input] if asked else [],
    }
print("FOUND", json.dumps(found))
"""


def _asked(tmp_path: Path, names: tuple[str, ...], answers: list[str], **environ: str) -> dict[str, Any]:
    ended = subprocess.run(
        [sys.executable, "-c", _RUN, str(DATA), json.dumps(answers), ",".join(names)],
        cwd=tmp_path, capture_output=True, text=True, check=False,
        env={**os.environ, "INSPECT_LOG_DIR": str(tmp_path / "logs"), **environ},
    )  # fmt: skip
    lines = [line for line in ended.stdout.splitlines() if line.startswith("FOUND ")]
    assert lines, ended.stderr[-2000:]
    found: dict[str, Any] = json.loads(lines[0].removeprefix("FOUND "))
    return found


def test_answers_are_scored_and_the_question_has_its_most_tokens(tmp_path: Path) -> None:
    gold = {instance.id: instance.target["answer"] for instance in read_folder(DATA).instances}
    wrong = {**gold["form-volunteer"], "has_car": True}
    answers = [f"```json\n{json.dumps(gold['receipt-cafe'])}\n```", json.dumps(wrong), "I cannot."]
    # inspect_ai takes samples in the order of the data set: receipts, forms, screens.
    found = _asked(tmp_path, NAMES, answers)
    assert set(found["receipt-cafe"]["scores"].values()) == {1}
    assert found["form-volunteer"]["scores"]["fma"] == pytest.approx(0.5)
    assert set(found["screen-files"]["scores"].values()) == {0}
    assert {one["max_tokens"] for one in found.values()} == {8192}
    assert {one["schema"] for one in found.values()} == {None}
    assert {tuple(one["roles"]) for one in found.values()} == {("system", "user")}


def test_in_structured_mode_the_schema_is_passed_on_or_the_sample_fails(tmp_path: Path) -> None:
    instances = {instance.id: instance for instance in read_folder(DATA).instances}
    found = _asked(tmp_path, NAMES, ["{}", "{}", "{}"], I2S_SOBENCH_MODE="structured")
    for name in ("receipt-cafe", "form-volunteer"):
        assert found[name]["schema"] == instances[name].inputs["schema"]
    assert "sobench_mode=fenced" in found["screen-files"]["error"]
    assert found["screen-files"]["scores"] is None
