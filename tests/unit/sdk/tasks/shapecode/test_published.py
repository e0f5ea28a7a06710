"""ShapeCodeBench as published: all 150 truths redrawn, all 900 evaluations, the whole table."""

import csv
import hashlib
import io
import json
from pathlib import Path

import pytest

from i2s_sdk.scoring.scorer import MetricValues, NotUsable, Scorable
from i2s_sdk.tasks.registry import open_task
from i2s_sdk.tasks.shapecode.program import draw, read_program
from i2s_sdk.tasks.shapecode.scorer import EXACT, IOU, METRICS, PARSED, PIXELS, ShapeScorer
from i2s_sdk.tasks.shapecode.table import ORDER, AnswerValues, table_rows
from i2s_sdk.tasks.structure import Structure

pytestmark = pytest.mark.slow

VECTORS = Path(__file__).parent / "vectors"
LABELS = {"heuristic": "Heuristic-CV", "empty": "Empty-Program"}
COLUMNS = {
    EXACT: "exact_match_rate",
    PIXELS: "mean_pixel_accuracy",
    IOU: "mean_foreground_iou",
    PARSED: "parse_success_rate",
}


def lines(name):
    return [json.loads(line) for line in (VECTORS / name).read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def items():
    return {line["id"]: line for line in lines("tasks.jsonl")}


@pytest.fixture(scope="module")
def values(items):
    """Our values of each answer, by run and item."""
    task = open_task("shapecode")
    scorer, scored = ShapeScorer(), {}
    for line in lines("answers.jsonl"):
        read = task.structure_from(line["raw"])
        result = NotUsable("nothing")
        if isinstance(read, Structure):
            target = {"program": items[line["id"]]["program"]}
            result = scorer.score(Scorable(line["id"], read.code, target=target))
        unusable = {metric.name: metric.unusable for metric in METRICS}
        metrics = result.metrics if isinstance(result, MetricValues) else unusable
        scored[line["run"], line["id"]] = metrics, line["evaluation"]
    return scored


def test_every_truth_is_redrawn_to_the_pixel(items):
    redrawn = {
        name: hashlib.sha256(draw(read_program(item["program"])).tobytes()).hexdigest()
        for name, item in items.items()
    }
    assert redrawn == {name: item["pixels_sha256"] for name, item in items.items()}
    assert len(redrawn) == 150


def test_every_answer_has_the_values_of_the_released_evaluation(values):
    wrong = {
        key: (ours, theirs)
        for key, (ours, theirs) in values.items()
        if ours != {name: float(theirs[name]) for name in ORDER}
    }
    assert wrong == {}
    assert len(values) == 900


def test_the_table_with_its_intervals_is_that_of_the_release_byte_for_byte(items, values):
    runs = {load["run"]: load for load in json.loads((VECTORS / "runs.json").read_text())}
    answers = {
        run: [
            AnswerValues(name, items[name]["difficulty"], ours)
            for (other, name), (ours, _) in values.items()
            if other == run
        ]
        for run in sorted(runs)
    }
    table = io.StringIO()
    names = ["model", "provider", "model_id", "difficulty", "n"]
    for column in COLUMNS.values():
        names += [column, f"{column}_ci_low", f"{column}_ci_high"]
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(names)
    for row in table_rows(answers):
        about = runs[row.run]
        label = LABELS.get(about["provider"], f"{about['model']} ({about['effort']})")
        cells = [label, about["provider"], about["model"], row.part, row.count]
        writer.writerow([*cells, *(value for name in ORDER for value in row.values[name])])
    assert table.getvalue() == (VECTORS / "main_results.csv").read_text()
