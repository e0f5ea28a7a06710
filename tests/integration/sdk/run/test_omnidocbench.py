"""Pages of OmniDocBench with the real services: formulas drawn, folders of systems, a model that is asked."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

from i2s_sdk import evaluate, evaluate_predictions
from i2s_sdk.run.storage.folder import read_records

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[4]
DATA = ROOT / "examples" / "omnidocbench"
PREDICTIONS = ROOT / "tests" / "unit" / "sdk" / "tasks" / "omnidocbench" / "predictions"

#: A model that says what it is shown.
PROGRAM = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    said = f"{asked['instance']} {asked['media_type']}"
    print(json.dumps({"id": asked["id"], "completion": said}), flush=True)
"""


def values(run: Path) -> dict[str, dict[str, float | None]]:
    return {record.instance.id: dict(record.score.metrics) for record in read_records(run).values()}


def test_the_oracle_has_1_everywhere_also_where_formulas_are_drawn(tmp_path: Path) -> None:
    evaluate(DATA, "oracle", out=tmp_path / "run")
    found = values(tmp_path / "run")
    assert {value for page in found.values() for value in page.values()} == {1.0, None}
    assert {name for name, page in found.items() if page["formula_cdm"] == 1} == {
        "tides",
        "medians",
        "gangwan",
    }


def test_systems_in_folders_beside_each_other_are_compared(tmp_path: Path) -> None:
    evaluate_predictions(DATA, PREDICTIONS, out=tmp_path / "runs")
    overall = {
        one: json.loads((tmp_path / "runs" / one / "results.json").read_text())["tasks"]["omnidocbench"]
        for one in ("markitdown", "pymupdf4llm", "pypdfium2")
    }
    means = {name: round(one["values"]["overall"], 3) for name, one in overall.items()}
    assert means == {"markitdown": 0.343, "pymupdf4llm": 0.646, "pypdfium2": 0.328}


def test_a_model_is_shown_images_and_drawn_pages(tmp_path: Path) -> None:
    program = tmp_path / "model.py"
    program.write_text(PROGRAM)
    evaluate(DATA, f"command:{shlex.join([sys.executable, str(program)])}", out=tmp_path / "run")
    answers = {
        record.instance.id: record.answer.completion for record in read_records(tmp_path / "run").values()
    }
    assert answers["tides"] == "tides image/png"
    assert answers["gazette"] == "gazette image/jpeg"
