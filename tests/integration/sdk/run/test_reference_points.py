"""Baselines and the oracle beside a model, by real services: a constant answer has no skill."""

from __future__ import annotations

import json
import zlib
from dataclasses import replace
from pathlib import Path

import pytest

from i2s_sdk import evaluate, evaluate_several, merge
from i2s_sdk.instances.instance import Instance
from i2s_sdk.models.baselines import ConstantBaseline, Oracle
from i2s_sdk.models.model import Completion, Finish
from i2s_sdk.report.paper_tables import table
from i2s_sdk.run.storage.folder import REFERENCE_POINTS, read_points
from i2s_sdk.run.storage.interface import open_storage
from i2s_sdk.settings import Settings
from i2s_sdk.tasks.question import Question
from i2s_sdk.tasks.registry import task_spec
from repetitions import some

pytestmark = pytest.mark.integration

EXAMPLES = Path(__file__).parents[4] / "examples"

TASK, LIMIT = (
    ["latex"],
    6,
)  # two instances of each subset or more, so that each can have the answer of another


@pytest.fixture(scope="module")
def measured(running_without_networks: Settings, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    cache = tmp_path_factory.mktemp("cache")
    return replace(running_without_networks, reference_points="yes", reference_points_cache=cache)


class ConstantServer(ConstantBaseline):
    """A model that answers every image with the same equation."""

    name = "openai/constant"

    async def complete(self, instance: object, question: object) -> Completion:
        return Completion(task_spec("latex").constant, Finish.STOP)


def test_a_constant_answer_has_no_skill_and_is_ranked_so(measured: Settings, tmp_path: Path) -> None:
    result = evaluate_several(
        None, [ConstantServer(), "baseline/ocr"], out=tmp_path, settings=measured, tasks=TASK, limit=LIMIT
    )
    run = result.runs["openai/constant"]
    points = read_points(open_storage(run.folder))
    assert list(points) == ["baseline/blank", "baseline/constant", "baseline/shuffled", "oracle"]
    assert {len(records) for records in points.values()} == {LIMIT}
    skill = run.skills["latex"]
    assert skill.ceiling == pytest.approx(1.0, abs=1e-6)
    low, high = skill.skill.interval or (1.0, 1.0)
    assert low <= 0.0 < high, "the floor is chosen by other instances, so 0 is exceeded by chance alone"
    assert skill.value > 0.4, "and yet its value is nowhere near 0"
    assert result.report is not None
    standings = {standing.label: standing for standing in result.report.standings}
    assert next(iter(standings)) == "openai/constant", "reference points stand behind the models"
    skills = [standings[label].mean_skill for label in ("openai/constant", "baseline/ocr")]
    assert all(one is not None and one.interval is not None for one in skills)
    constant, ocr = (one.value or 0.0 for one in skills if one is not None)
    assert constant < ocr, "what looks has more skill"
    assert {standing.win_rate for standing in result.report.standings} == {None}, (
        "one model alone wins over nobody"
    )
    assert set(result.report.skills["latex"]) == {"openai/constant", "baseline/ocr"}
    assert not (Path(str(run.folder)) / "reference-points").exists()
    (overall, *_) = table([run.folder])
    assert "Mean skill" in [heading.name for heading in overall.headings]


class KnowsSome(Oracle):
    """A model that answers some instances with the ground truth, and the others with nothing."""

    name = "openai/knows-some"

    async def complete(self, instance: Instance, question: Question) -> Completion:
        if zlib.crc32(instance.id.encode()) % 3 == 1:
            return Completion(task_spec(instance.task).blank(None), Finish.STOP)
        return await super().complete(instance, question)


@pytest.mark.parametrize(
    ("folder", "limit", "metric"),
    some(
        [("sobench", None, "fma"), ("readoc", None, "average"), ("charts", 6, "elements")],
        chosen=lambda case: case[0] != "charts",
        instead="columns of other tasks",
    ),
)
def test_main_columns_that_are_pooled_or_means_of_columns_have_a_skill_too(
    measured: Settings, tmp_path: Path, folder: str, limit: int | None, metric: str
) -> None:
    data = EXAMPLES / folder
    run = evaluate(data=data, model=KnowsSome(), out=tmp_path, settings=measured, limit=limit)
    ((task, skill),) = run.skills.items()
    assert skill.value == pytest.approx(run.summary.tasks[task].values[metric])
    assert skill.floor < skill.value < skill.ceiling == pytest.approx(1.0, abs=1e-6)
    assert skill.skill.interval is not None
    points = read_points(open_storage(run.folder))
    assert {len(of_model) for of_model in points.values()} == {run.summary.scored}


def test_another_model_on_the_same_instances_takes_the_values_of_the_cache(
    measured: Settings, tmp_path: Path
) -> None:
    assert measured.reference_points_cache is not None
    evaluate(model=ConstantServer(), out=tmp_path / "a", settings=measured, tasks=TASK, limit=LIMIT)
    kept = {path: path.stat().st_mtime_ns for path in measured.reference_points_cache.iterdir()}
    evaluate(model="baseline/ocr", out=tmp_path / "b", settings=measured, tasks=TASK, limit=LIMIT)
    assert {path: path.stat().st_mtime_ns for path in measured.reference_points_cache.iterdir()} == kept
    both = [(tmp_path / name / REFERENCE_POINTS).read_bytes() for name in "ab"]
    assert both[0] == both[1]


def test_shards_have_those_of_their_instances_and_a_merge_has_all(measured: Settings, tmp_path: Path) -> None:
    shards = []
    for part in ("1/2", "2/2"):
        out = tmp_path / part.replace("/", "-")
        evaluate(model=ConstantServer(), out=out, settings=measured, tasks=TASK, limit=LIMIT, shard=part)
        shards.append(out)
    whole = tmp_path / "whole"
    evaluate(model=ConstantServer(), out=whole, settings=measured, tasks=TASK, limit=LIMIT)
    merge(shards, tmp_path / "merged")

    def lines(folder: Path) -> set[str]:
        return set((folder / REFERENCE_POINTS).read_text().splitlines())

    assert lines(tmp_path / "merged") == lines(whole)


def test_a_run_that_was_made_without_them_gets_them_when_the_command_is_repeated(
    measured: Settings, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    without = replace(measured, reference_points="no")
    assert evaluate(model=ConstantServer(), out=out, settings=without, tasks=TASK, limit=1).skills == {}
    again = evaluate(model=ConstantServer(), out=out, settings=measured, tasks=TASK, limit=1)
    assert set(again.skills) == {"latex"}
    assert json.loads((out / REFERENCE_POINTS).read_text().splitlines()[0])["model"] == "baseline/blank"


def test_a_finished_run_is_told_even_where_their_services_cannot_be_reached(
    measured: Settings, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    out, cache = tmp_path / "run", tmp_path / "cache"
    without = replace(measured, reference_points="no")
    evaluate(model=ConstantServer(), out=out, settings=without, tasks=TASK, limit=1)
    nobody = replace(
        measured,
        render_latex="127.0.0.1:1",
        metrics="127.0.0.1:1",
        start_seconds=0.1,
        reference_points_cache=cache,
    )
    result = evaluate(model=ConstantServer(), out=out, settings=nobody, tasks=TASK, limit=1)
    assert (result.summary.scored, result.skills) == (1, {})
    assert "reference points are missing" in caplog.text
