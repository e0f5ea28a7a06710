"""Which instances reference points answer, and what is said before they are evaluated."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from i2s_sdk.data import Selection
from i2s_sdk.data.folder import read_folder
from i2s_sdk.instances.instance import Instance
from i2s_sdk.models import open_model
from i2s_sdk.models.completion import ModelAccessError
from i2s_sdk.models.model import Completion, Finish, Model
from i2s_sdk.run.evaluate import ModelRun, evaluate_models
from i2s_sdk.run.pipeline import Progress, say_nothing
from i2s_sdk.run.plan import Plan, choose, plan_run
from i2s_sdk.run.reference_points import MODELS, ReferencePoints, announcement, instances_of
from i2s_sdk.run.storage.folder import RunFolder, write_points
from i2s_sdk.run.storage.manifest import Manifest
from i2s_sdk.run.storage.record import (
    Outcome,
    Record,
    SampleAnswer,
    SampleInstance,
    SampleRendering,
    SampleScore,
)
from i2s_sdk.settings import Settings
from i2s_wire.metrics.profile import Profile
from sample_records import changed, flat_record

EXAMPLES = Path(__file__).parents[4] / "examples"


def plan_of(folder: str = "", tasks: tuple[str, ...] = ()) -> Plan:
    data = read_folder(EXAMPLES / folder)
    return plan_run(choose(data, Profile.PAPER, tasks, Selection((), (), (), None, None, None)), "m", "")


def test_each_point_answers_the_instances_that_it_can() -> None:
    plan = plan_of(tasks=("latex",))
    counts = {name: len(instances_of(name, plan)) for name in MODELS}
    assert counts == {
        "baseline/blank": 17,
        "baseline/constant": 17,
        "baseline/shuffled": 17,
        "baseline/chance": 0,
        "oracle": 17,
    }


def test_nobody_borrows_from_itself_and_without_ground_truth_there_is_nothing_to_lend() -> None:
    plan = plan_of(tasks=("latex",))
    one = replace(plan.instances[0], subset="alone")
    alone = replace(plan, instances=(one,), whole=(one,))
    assert instances_of("baseline/shuffled", alone) == []
    assert instances_of("oracle", alone) == [one]
    bare = replace(one, structure=None, target=None)
    assert instances_of("oracle", replace(alone, instances=(bare,), whole=(bare,))) == []


def test_wild_subsets_have_none() -> None:
    plan = plan_of(tasks=("latex",))
    wild = tuple(replace(instance, subset="wild") for instance in plan.instances)
    assert instances_of("baseline/blank", replace(plan, instances=wild, whole=wild)) == []


@pytest.mark.parametrize("folder", ["sobench", "readoc", "charts"])
def test_every_task_has_a_floor_that_borrows_answers_and_a_ceiling(folder: str) -> None:
    plan = plan_of(folder)
    for name in ("baseline/blank", "baseline/shuffled", "oracle"):
        assert instances_of(name, plan) == list(plan.instances)


def test_a_task_whose_main_column_nothing_computes_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_of("sobench")
    monkeypatch.setattr("i2s_sdk.run.reference_points.metrics_of", lambda task: ())
    assert not ReferencePoints(plan, Settings(), say_nothing).there_are_any


def test_choices_have_a_baseline_that_draws_one() -> None:
    plan = plan_of("visualwebbench")
    drawn = instances_of("baseline/chance", plan)
    assert {one.task for one in drawn} >= {"element_ground", "action_ground"}
    assert all(one.inputs["options"] for one in drawn)


def test_values_of_other_targets_than_those_of_the_run_are_measured_anew(tmp_path: Path) -> None:
    plan = plan_of(tasks=("latex",))
    points = ReferencePoints(plan, Settings(), say_nothing)
    record = flat_record(
        "a", "latex", "equation", "", outcome=Outcome.SCORED, reference_sha256="r", target_sha256="t"
    )
    with RunFolder.open(tmp_path / "run") as folder:
        folder.begin(Manifest(plan.options({}, {})), plan.whole)
        folder.append(record)
        write_points(folder.storage, {"baseline/blank": [changed(record, target_sha256="other")]})
        assert not points.keep(folder)
        for same in ("t", ""):  # records of earlier versions have no digest of the target
            write_points(folder.storage, {"baseline/blank": [changed(record, target_sha256=same)]})
            assert points.keep(folder)


class Locked(Model):
    """A model whose key is wrong."""

    name, fingerprint = "mine/locked", ""

    async def complete(self, instance: object, question: object) -> object:
        raise ModelAccessError("the key is wrong")


def test_a_model_that_cannot_be_asked_keeps_no_other_from_being_asked(tmp_path: Path) -> None:
    settings = Settings(examples=EXAMPLES / "sobench")
    runs = [ModelRun(Locked(), tmp_path / "a"), ModelRun(open_model("oracle"), tmp_path / "b")]  # type: ignore[arg-type]
    locked, oracle = evaluate_models(EXAMPLES / "sobench", runs, settings)
    assert isinstance(locked, ModelAccessError)
    assert oracle.summary.scored == oracle.summary.planned  # type: ignore[union-attr]


class Empty(Model):
    """A model that answers nothing."""

    name, fingerprint = "mine/empty", ""

    async def complete(self, instance: object, question: object) -> Completion:
        return Completion("{}", Finish.STOP)


def test_progress_says_which_runs_are_those_of_reference_points(tmp_path: Path) -> None:
    """The oracle may be asked for by name too, beside a model."""
    reported: list[Progress] = []
    settings = Settings(examples=EXAMPLES / "sobench", reference_points_cache=tmp_path / "cache")
    models = [Empty(), open_model("oracle")]
    runs = [ModelRun(model, tmp_path / str(at)) for at, model in enumerate(models)]  # type: ignore[arg-type]
    evaluate_models(EXAMPLES / "sobench", runs, settings, reported.append)
    assert {one.run for one in reported if not one.reference} == {"mine/empty", "oracle"}
    assert {one.run for one in reported if one.reference} == {*MODELS} - {"baseline/chance"}


def test_the_time_of_stored_samples_is_that_of_their_stages(tmp_path: Path) -> None:
    plan = plan_of(tasks=("latex",))
    record = flat_record(
        "a", "latex", "equation", "", outcome=Outcome.SCORED, seconds={"render": 30.0, "score": 10.0}
    )
    with RunFolder.open(tmp_path / "run") as folder:
        folder.begin(Manifest(plan.options({}, {})), plan.whole)
        folder.append(record)
        records = folder.records(texts=False).values()
    assert "for about 8 min" in announcement({"oracle": list(plan.instances[:15])}, records, 1)


def test_what_follows_a_model_is_said_with_the_time_that_it_takes() -> None:
    instances = [Instance(str(number), "latex", "s", Path("a.png")) for number in range(30)]
    wanted = {"baseline/blank": instances, "baseline/chance": [], "oracle": instances}
    facts = SampleInstance("a", "latex", "s", "")
    rendering = SampleRendering(usable=True, seconds=3.0)
    record = Record(facts, SampleAnswer("x"), rendering, SampleScore(Outcome.SCORED, seconds=1.0))
    said = announcement(wanted, [record, record], 4)
    assert "60 in 2 passes, for about 45 s; " in said
    assert "for about 8 min" in announcement({"oracle": instances * 20}, [record], 4)
    assert "--no-reference-points" in said
    assert "about" not in announcement(wanted, [], 4)
