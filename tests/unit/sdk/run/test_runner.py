"""What of a run remains to be done, and whether enough of it is done."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from i2s_sdk.data import Selection, read_folder
from i2s_sdk.models import Completion, ModelFailedError
from i2s_sdk.run.finalize import finalize
from i2s_sdk.run.generate import answer_of, failed_answer
from i2s_sdk.run.pipeline import instance_facts, say_nothing
from i2s_sdk.run.plan import Plan, choose, plan_run
from i2s_sdk.run.runner import Runner, StageName
from i2s_sdk.run.stages import _result
from i2s_sdk.run.storage.folder import RunFolder
from i2s_sdk.run.storage.record import Failure, Outcome, Record, SampleRendering
from i2s_sdk.settings import Settings
from i2s_wire.metrics.profile import Profile
from run_folders import instances, options, record_of, write_run
from sample_records import changed
from tiny_formulas import write_tiny_formulas

ALL = tuple(StageName)
EACH = [(StageName.GENERATE,), (StageName.RENDER,), (StageName.SCORE,)]


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    data = read_folder(write_tiny_formulas(tmp_path / "data", 4).folder)
    return plan_run(choose(data, Profile.PAPER, (), Selection()), "mine", "")


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[RunFolder]:
    with RunFolder.open(tmp_path / "run") as folder:
        yield folder


def _remaining(plan: Plan, folder: RunFolder, stages: tuple[StageName, ...]) -> list[str]:
    execution = Runner(plan, folder, stages, Settings(), say_nothing)
    return [one.id for one in execution.remaining()]


def _answer(folder: RunFolder, name: str) -> None:
    folder.put_answer(name, answer_of(Completion("$x$", attempts=1), 0.0))


def _render(plan: Plan, folder: RunFolder, name: str) -> None:
    one = next(instance for instance in plan.instances if instance.id == name)
    folder.put_rendering(instance_facts(one), SampleRendering())


def _end(plan: Plan, folder: RunFolder, name: str, outcome: Outcome) -> None:
    one = next(instance for instance in plan.instances if instance.id == name)
    failure = None if outcome.counts else Failure("ServiceUnavailableError", "nobody there")
    folder.append(changed(Record(instance_facts(one)), outcome=outcome, failure=failure))


@pytest.mark.parametrize("outcome", list(Outcome))
def test_a_sample_that_has_a_score_is_done_and_every_other_is_tried_again(
    plan: Plan, folder: RunFolder, outcome: Outcome
) -> None:
    _answer(folder, "tiny-1")
    _render(plan, folder, "tiny-1")
    _end(plan, folder, "tiny-1", outcome)
    left = [] if outcome.counts else ["tiny-1"]
    assert _remaining(plan, folder, ALL) == [*left, "tiny-0", "tiny-2", "tiny-3"]
    assert _remaining(plan, folder, (StageName.SCORE,)) == left


def test_each_stage_takes_what_the_one_before_has_finished(plan: Plan, folder: RunFolder) -> None:
    for name in ("tiny-1", "tiny-2"):
        _answer(folder, name)
    _render(plan, folder, "tiny-2")
    assert [_remaining(plan, folder, stage) for stage in EACH] == [
        ["tiny-0", "tiny-3"],
        ["tiny-1"],
        ["tiny-2"],
    ]


def test_those_that_have_an_answer_come_first(plan: Plan, folder: RunFolder) -> None:
    _answer(folder, "tiny-3")
    assert _remaining(plan, folder, ALL) == ["tiny-3", "tiny-0", "tiny-1", "tiny-2"]


def test_an_answer_that_failed_is_asked_for_again(plan: Plan, folder: RunFolder) -> None:
    folder.put_answer("tiny-0", failed_answer(ModelFailedError("gone", 5), 0.0))
    assert _remaining(plan, folder, (StageName.RENDER,)) == []
    assert "tiny-0" in _remaining(plan, folder, (StageName.GENERATE,))


@pytest.mark.parametrize(("allowed", "covered"), [("0", False), ("1", False), ("2", True), ("3", True)])
def test_a_stage_is_covered_while_no_more_are_missing_than_may_be(
    plan: Plan, folder: RunFolder, allowed: str, covered: bool
) -> None:
    assert _result(plan, folder, Settings(fail_on_error=allowed), 2).covered is covered


@pytest.mark.parametrize(
    ("allowed", "covered"), [("1", False), ("2", True), ("3", True), ("19%", False), ("20%", True)]
)
def test_a_run_is_covered_while_no_more_samples_failed_than_may(
    tmp_path: Path, allowed: str, covered: bool
) -> None:
    planned = instances(10)
    records = {one.id: changed(record_of(one), outcome=Outcome.SCORED, failure=None) for one in planned}
    for one in planned[:2]:
        failure = Failure("ServiceUnavailableError", "nobody there")
        records[one.id] = changed(records[one.id], outcome=Outcome.RENDER_FAILURE, failure=failure)
    path = write_run(tmp_path / "finished", planned, records, options())
    with RunFolder.open(path) as folder:
        result = finalize(folder, planned, Settings(fail_on_error=allowed))
    assert result.covered is covered
    assert [(one.outcome, one.count) for one in result.failures] == [("render_failure", 2)]
