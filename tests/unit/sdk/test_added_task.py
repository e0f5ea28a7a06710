"""A task is one folder and one line of the registry: everything works for it, and no service is started."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from colour_task.scorer import AcceptedScorer
from colour_task.spec import COLOUR
from colour_task.task import ColourTask
from i2s_sdk import Settings, evaluate, export, generate, read_run, render_run, score_run, table, write_report
from i2s_sdk.data.check import check
from i2s_sdk.data.folder import read_folder
from i2s_sdk.errors import DataError, ModelError
from i2s_sdk.instances.instance import Instance
from i2s_sdk.models.model import Completion
from i2s_sdk.report.charts import endings, histograms
from i2s_sdk.report.view import views_of
from i2s_sdk.run.storage.record import Outcome, Record
from i2s_sdk.scoring.scorer import MetricValues, NotUsable, Scorable, Scorer
from i2s_sdk.single.lines import LineFault, LineScore, score_lines
from i2s_sdk.stats.means import IntervalKind
from i2s_sdk.tasks.registry import SPECS
from i2s_sdk.tasks.structure import NoStructure, Structure

pytestmark = pytest.mark.slow

#: Completions of a model, by instance; without the last one the model fails.
SAID = {
    "red": "Let me see.\nred",
    "green": "GREEN",
    "blue": "yellow",
    "black": "  \n",
    "grey": "#808080",
}
TARGETS: dict[str, list[str] | None] = {
    "red": ["red"],
    "green": ["green", "lime"],
    "blue": ["blue"],
    "black": ["black"],
    "grey": ["grey", "gray"],
    "white": ["white"],
}


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one line; and where worker processes find the folder."""
    monkeypatch.setitem(SPECS, COLOUR.name, COLOUR)
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2] / "support"))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    lines = []
    for name, target in TARGETS.items():
        Image.new("RGB", (16, 16), name).save(folder / f"{name}.png")
        line = {"id": name, "task": "colour", "subset": "plain", "inputs": {"image": f"{name}.png"}}
        lines.append(json.dumps({**line, "target": target, "licence": "CC0-1.0"}) + "\n")
    (folder / "instances.jsonl").write_text("".join(lines))
    return folder


@pytest.fixture
def replay(tmp_path: Path) -> str:
    lines = [json.dumps({"id": name, "completion": text}) + "\n" for name, text in SAID.items()]
    (tmp_path / "said.jsonl").write_text("".join(lines))
    return f"replay:{tmp_path / 'said.jsonl'}"


def _settings(**more: Any) -> Settings:
    return Settings(fail_on_error="100%", **{"reference_points": "no", **more})


def _records(out: Path) -> dict[str, Record]:
    run = read_run(out)
    return {name: run.with_texts(record) for name, record in run.records.items()}


def test_the_oracle_is_right_in_all(data: Path, tmp_path: Path) -> None:
    result = evaluate(data, "oracle", out=tmp_path / "run", settings=_settings())
    total = result.summary.tasks["colour"].total
    assert (total.planned, total.scored, total.rendered) == (6, 6, 6)
    assert total.metrics["accepted"].all.value == 1.0
    assert total.metrics["length"].all.value == pytest.approx(26 / 6)


def test_what_is_not_usable_counts_what_its_metrics_say(data: Path, replay: str, tmp_path: Path) -> None:
    result = evaluate(data, replay, out=tmp_path / "run", settings=_settings())
    found = _records(tmp_path / "run")
    assert {name: one.score.metrics for name, one in found.items()} == {
        "red": {"accepted": 1.0, "length": 3.0},
        "green": {"accepted": 0.5, "length": 5.0},
        "blue": {"accepted": 0.0, "length": 6.0},
        "black": {"accepted": 0.0, "length": -1.0},
        "grey": {"accepted": 0.0, "length": -1.0},
        "white": {},
    }
    assert {name for name, one in found.items() if one.usable} == {"red", "green", "blue"}
    assert [found[name].outcome for name in ("black", "grey", "white")] == [
        Outcome.NO_STRUCTURE,
        Outcome.SCORED,
        Outcome.MODEL_FAILURE,
    ]
    assert (found["black"].message, found["grey"].message) == (
        "the answer is empty",
        "a colour has no digits",
    )
    task = result.summary.tasks["colour"]
    assert task.total.success.value == 3 / 5
    assert task.values == {"rendered": 0.6, "accepted": 0.3, "length": 2.4}
    assert task.total.metrics["accepted"].rendered.value == 0.5
    assert task.interval_kinds["accepted"] is IntervalKind.BAYESIAN_BOOTSTRAP
    manifest = read_run(tmp_path / "run").manifest
    assert manifest.options.metrics == {"accepted": "3", "length": "3"}
    assert manifest.options.engines == {}


def test_stages_one_by_one_give_the_same_bytes(data: Path, replay: str, tmp_path: Path) -> None:
    evaluate(data, replay, out=tmp_path / "whole", settings=_settings())
    generate(data, replay, out=tmp_path / "parts", settings=_settings())
    render_run(tmp_path / "parts", settings=_settings())
    score_run(tmp_path / "parts", settings=_settings())
    whole, parts = ((tmp_path / name / "results.json").read_bytes() for name in ("whole", "parts"))
    assert whole == parts


class _Sayer:
    """A model that says what it is told, and fails where it is told nothing."""

    name, fingerprint = "sayer", ""

    def __init__(self, said: dict[str, str]) -> None:
        self.said, self.asked = said, list[str]()

    async def complete(self, instance: Instance, prompt: object) -> Completion:
        self.asked.append(instance.id)
        if instance.id not in self.said:
            raise ModelError("it is busy")
        return Completion(self.said[instance.id])


def test_a_run_is_resumed(data: Path, tmp_path: Path) -> None:
    model, run = _Sayer(dict(SAID)), tmp_path / "run"
    evaluate(data, model, out=run, settings=_settings())
    assert _records(run)["white"].score.metrics == {}
    before = {name: record for name, record in _records(run).items() if name != "white"}
    model.said["white"], model.asked = "white", []
    evaluate(data, model, out=run, settings=_settings())
    assert model.asked == ["white"]
    assert _records(run)["white"].score.metrics == {"accepted": 1.0, "length": 5.0}
    assert {name: record for name, record in _records(run).items() if name != "white"} == before


@dataclass(frozen=True, slots=True)
class _DefectiveScorer(AcceptedScorer):
    """Has a defect that one answer meets, in the process of the run."""

    in_worker: bool = False

    def score(self, sample: Scorable) -> MetricValues | NotUsable:
        if sample.id == "green":
            raise OverflowError(f"\x9b31m{sample.structure}")
        return AcceptedScorer.score(self, sample)


@dataclass(frozen=True, slots=True)
class _DefectiveTask(ColourTask):
    """Has a defect that one answer meets when it is read, and another when it is scored."""

    scorers: tuple[Scorer, ...] = (_DefectiveScorer(),)

    def structure_from(self, completion: str, assets: Sequence[str] = ()) -> Structure | NoStructure:
        if completion == SAID["blue"]:
            raise KeyError(completion)
        return ColourTask.structure_from(self, completion, assets)


def test_an_answer_that_meets_a_defect_has_no_number_and_is_tried_again_and_the_others_have_theirs(
    data: Path,
    replay: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    run = tmp_path / "run"
    monkeypatch.setitem(SPECS, COLOUR.name, replace(COLOUR, open=_DefectiveTask))
    result = evaluate(data, replay, out=run, settings=_settings())
    records = _records(run)
    assert (records["blue"].outcome, records["green"].outcome) == (
        Outcome.RENDER_FAILURE,
        Outcome.METRIC_FAILURE,
    )
    assert records["blue"].score.metrics == records["green"].score.metrics == {}
    for name, error in (("blue", "KeyError"), ("green", "OverflowError")):
        failure = records[name].failure
        assert failure is not None
        assert (failure.kind, failure.message.split()[0]) == ("ScorerError", error)
        (entry,) = [line for line in caplog.records if repr(name) in line.getMessage()]
        assert "Traceback" in entry.getMessage()
        assert "\x9b" not in entry.getMessage()
        assert failure.message.split()[-1] in entry.getMessage(), "so is the id of the error"
    assert {reason.outcome: reason.count for reason in result.failures} == {
        "metric_failure": 1,
        "model_failure": 1,
        "render_failure": 1,
    }
    assert records["red"].score.metrics == {"accepted": 1.0, "length": 3.0}
    monkeypatch.setitem(SPECS, COLOUR.name, COLOUR)
    evaluate(data, replay, out=run, settings=_settings())
    assert [_records(run)[name].score.metrics["accepted"] for name in ("blue", "green")] == [0.0, 0.5]


def test_charts_show_how_its_samples_ended_and_the_range_of_its_metrics(
    data: Path, replay: str, tmp_path: Path
) -> None:
    evaluate(data, replay, out=tmp_path / "run", settings=_settings())
    (view,) = views_of([read_run(tmp_path / "run")])
    bars = endings(view.summary.tasks["colour"].total)
    assert [(bar.label, bar.count, bar.tone) for bar in bars] == [
        ("usable", 3, "good"),
        ("no structure", 1, "bad"),
        ("not usable", 1, "bad"),
        ("model failure", 1, "ours"),
    ]
    accepted, length = histograms(view, "colour")
    assert (accepted.n, accepted.ticks) == (3, ("0", "0.5", "1"))
    assert (length.n, length.ticks) == (3, ("-1", "49.5", "100"))
    assert [bar.count for bar in length.bars] == [1, 2, *[0] * 18]


def test_report_tables_and_export_show_it(data: Path, replay: str, tmp_path: Path) -> None:
    run = tmp_path / "run"
    evaluate(data, replay, out=run, settings=_settings())
    page = write_report([run], tmp_path / "report").path.read_text()
    assert "colour" in page
    headings = re.sub("<[^>]*>", " ", page.partition('<section id="numbers"')[2].partition("</thead>")[0])
    assert headings.split()[-2:] == ["accepted", "scored"], "the columns that rank"
    shown = re.sub(
        "<script.*?</script>", "", page.partition("<main>")[2], flags=re.DOTALL
    )  # packed data has any letters
    assert "colour" in shown
    assert "ems" not in shown
    assert "a colour has no digits" not in page, "texts of samples are packed"
    (colours,) = table([run], published=True)
    assert colours.title == "Colours"
    assert [heading.name for heading in colours.headings] == [
        "Model",
        "Usable",
        "accepted",
        "length",
        "Scored",
    ]
    assert export(run, tmp_path / "run.csv") == 6
    assert "a colour has no digits" in (tmp_path / "run.csv").read_text()


def test_lines_that_cannot_be_scored_are_told_and_the_others_scored() -> None:
    good = {"id": "red", "completion": "red", "target": ["red"]}
    lines = [
        b"{",
        b"[]",
        b'{"id": "a"}',
        json.dumps({**good, "target": []}).encode(),
        json.dumps(good).encode(),
    ]
    found: list[LineScore | LineFault] = []
    count = score_lines(lines, "colour", settings=_settings(), on_score=found.append, on_fault=found.append)
    assert count == 1
    assert isinstance(found[-1], LineScore)
    faults = [one for one in found if isinstance(one, LineFault)]
    assert [(fault.id, fault.line) for fault in faults] == [(None, 1), (None, 2), ("a", 3), ("red", 4)]
    assert faults[0].fault.startswith("is not JSON")
    assert "must have the texts" in faults[2].fault
    assert "should be non-empty" in faults[3].fault
    with pytest.raises(DataError, match="standard input:1: is not JSON"):
        score_lines(lines, "colour", settings=_settings(), on_score=found.append)


_IN_INSPECT = """
import json, sys
from colour_task.spec import COLOUR
from i2s_sdk.tasks.registry import SPECS
SPECS[COLOUR.name] = COLOUR
from inspect_ai import eval
from inspect_ai.model import ModelOutput, ModelUsage, get_model
outputs = [ModelOutput.from_content("mockllm/model", one) for one in json.loads(sys.argv[2])]
for one in outputs:
    one.usage = ModelUsage()  # or the tokens are counted by a file of the network
model = get_model("mockllm/model", custom_outputs=outputs)
(log,) = eval("i2s/colour", model=model, task_args={"data": sys.argv[1]}, limit=5, max_samples=1,
              max_connections=1, display="none")
print("SCORES", json.dumps({one.id: one.scores["round_trip"].value for one in log.samples}))
"""


def test_inspect_ai_has_it(data: Path, tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai", reason="i2s-sdk[inspect] is not installed")
    said = [SAID[name] for name in list(TARGETS)[:5]]
    ended = subprocess.run(
        [sys.executable, "-c", _IN_INSPECT, str(data), json.dumps(said)],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    (line,) = (one for one in ended.stdout.splitlines() if one.startswith("SCORES "))
    scores = json.loads(line.removeprefix("SCORES "))
    assert {name: (score["usable"], score["accepted"]) for name, score in scores.items()} == {
        "red": (1, 1),
        "green": (1, 0.5),
        "blue": (1, 0),
        "black": (0, 0),
        "grey": (0, 0),
    }


def test_its_data_set_is_checked(data: Path) -> None:
    assert check(data).faults == ()
    assert [instance.licence for instance in read_folder(data).instances] == ["CC0-1.0"] * 6


def test_single_values_come_by_the_line() -> None:
    lines = [
        json.dumps({"id": name, "completion": text, "inputs": {}, "target": TARGETS[name]}).encode()
        for name, text in SAID.items()
    ]
    found: list[LineScore] = []
    assert score_lines([*lines, b"\n"], "colour", settings=_settings(), on_score=found.append) == 5
    assert [(one.id, one.usable, one.reason, one.structure) for one in found] == [
        ("red", True, "", "red"),
        ("green", True, "", "GREEN"),
        ("blue", True, "", "yellow"),
        ("black", False, "the answer is empty", None),
        ("grey", False, "a colour has no digits", "#808080"),
    ]
    assert [one.metrics["accepted"] for one in found] == [1.0, 0.5, 0.0, 0.0, 0.0]
