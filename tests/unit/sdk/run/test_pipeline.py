"""Samples on their way through stages."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from i2s_sdk.data import Instance, Selection, read_folder
from i2s_sdk.errors import ServiceUnavailableError
from i2s_sdk.models import Completion, Finish, ModelFailedError
from i2s_sdk.models.model import Model
from i2s_sdk.run.generate import SampleAnswer
from i2s_sdk.run.pipeline import (
    PipelineStage,
    Sample,
    SampleTraces,
    instance_facts,
    run_pipeline,
    say_nothing,
)
from i2s_sdk.run.plan import choose, plan_run
from i2s_sdk.run.runner import Runner, StageName
from i2s_sdk.run.storage.folder import RunFolder
from i2s_sdk.run.storage.record import Failure, Outcome, SampleRendering, SampleScore
from i2s_sdk.settings import Settings
from i2s_sdk.tasks.question import Question
from i2s_wire.metrics.profile import Profile
from i2s_wire.render.rendering import Verdict
from i2s_wire.tracing import current_span
from recorded_spans import RecordedSpans, recorded
from tiny_formulas import write_tiny_formulas


@dataclass(frozen=True)
class Thing:
    number: int
    passed: tuple[str, ...] = ()
    ended: bool = False


def _things(count: int) -> list[Thing]:
    return [Thing(number) for number in range(count)]


def _passing(name: str, pauses: int = 0) -> Callable[[Thing], Awaitable[Thing]]:
    async def work(thing: Thing) -> Thing:
        for _ in range(pauses * (thing.number % 3)):
            await asyncio.sleep(0)
        return Thing(thing.number, (*thing.passed, name), thing.ended)

    return work


async def _conveyed(count: int, *stages: PipelineStage[Thing]) -> list[Thing]:
    done: list[Thing] = []
    await run_pipeline(_things(count), stages, lambda thing: thing.ended, done.append)
    return done


@pytest.mark.parametrize("jobs", [(1, 1, 1), (3, 1, 2), (1, 7, 3), (8, 8, 8)])
async def test_every_sample_goes_through_every_stage_once_and_in_order(jobs: tuple[int, int, int]) -> None:
    stages = [PipelineStage(_passing(name, 2), number, 2) for name, number in zip("abc", jobs, strict=True)]
    done = await _conveyed(50, *stages)
    assert sorted(thing.number for thing in done) == list(range(50))
    assert {thing.passed for thing in done} == {("a", "b", "c")}


async def test_no_more_than_jobs_are_in_a_stage() -> None:
    running = most = 0

    async def work(thing: Thing) -> Thing:
        nonlocal running, most
        running += 1
        most = max(most, running)
        for _ in range(thing.number % 5):
            await asyncio.sleep(0)
        running -= 1
        return thing

    await _conveyed(60, PipelineStage(_passing("a"), 9), PipelineStage(work, 4, 3))
    assert most == 4


async def test_a_sample_that_has_ended_skips_what_follows() -> None:
    async def ending(thing: Thing) -> Thing:
        return Thing(thing.number, (*thing.passed, "a"), ended=thing.number % 2 == 0)

    done = await _conveyed(20, PipelineStage(ending, 3), PipelineStage(_passing("b"), 2))
    assert {thing.passed for thing in done if thing.number % 2 == 0} == {("a",)}
    assert {thing.passed for thing in done if thing.number % 2} == {("a", "b")}
    assert len(done) == 20


async def test_a_slow_stage_makes_those_before_it_wait() -> None:
    """Under way are at most: those in both stages, those that wait, and those that wait to wait."""
    taken = done = most = 0
    gate = asyncio.Event()

    def source() -> Iterator[Thing]:
        nonlocal taken, most
        for thing in _things(200):
            taken += 1
            most = max(most, taken - done)
            yield thing

    async def slow(thing: Thing) -> Thing:
        if not gate.is_set():
            await gate.wait()
        return thing

    def count(thing: Thing) -> None:
        nonlocal done
        done += 1

    stages = [PipelineStage(_passing("a"), 3), PipelineStage(slow, 2, 4)]
    work = asyncio.create_task(run_pipeline(source(), stages, lambda thing: thing.ended, count))
    for _ in range(200):
        await asyncio.sleep(0)
    assert taken == 3 + 4 + 2  # and no more, however long the stage takes
    gate.set()
    await work
    assert done == 200
    assert most <= 3 + 4 + 2 + 1


async def test_a_slow_stage_does_not_keep_the_next_from_working() -> None:
    """The first stage never finishes one sample; the others go through all the same."""

    async def sticking(thing: Thing) -> Thing:
        if thing.number == 0:
            await asyncio.Event().wait()
        return thing

    done: list[Thing] = []
    stages = [PipelineStage(sticking, 2), PipelineStage(_passing("b"), 2)]
    work = asyncio.create_task(run_pipeline(_things(30), stages, lambda thing: thing.ended, done.append))
    while len(done) < 29:
        await asyncio.sleep(0)
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert sorted(thing.number for thing in done) == list(range(1, 30))


@pytest.mark.parametrize("where", [0, 1, 2])
async def test_a_fault_of_the_program_ends_everything(where: int) -> None:
    async def faulty(thing: Thing) -> Thing:
        if thing.number == 3:
            raise LookupError(thing.number)
        await asyncio.sleep(0)
        return thing

    stages = [PipelineStage(faulty if number == where else _passing("x"), 2) for number in range(3)]
    with pytest.raises(LookupError):
        await _conveyed(1000, *stages)


async def test_nothing_is_done_with_nothing() -> None:
    assert await _conveyed(0, PipelineStage(_passing("a"), 2), PipelineStage(_passing("b"), 2)) == []


async def test_what_a_stage_ends_after_a_cancellation_is_not_interrupted() -> None:
    """An example is a program that has to be reaped."""
    ended: list[int] = []

    async def work(thing: Thing) -> Thing:
        try:
            await asyncio.Event().wait()
        finally:
            for _ in range(5 * thing.number):
                await asyncio.sleep(0)
            ended.append(thing.number)
        return thing

    run = asyncio.create_task(_conveyed(3, PipelineStage(work, 3)))
    for _ in range(5):
        await asyncio.sleep(0)
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert sorted(ended) == [0, 1, 2]


@pytest.fixture
def spans() -> Iterator[RecordedSpans]:
    with recorded() as found:
        yield found


@pytest.fixture
def instances(tmp_path: Path) -> tuple[Instance, ...]:
    return tuple(read_folder(write_tiny_formulas(tmp_path / "data", 4).folder).instances)


class Scripted(Model):
    """Answers all questions but one."""

    name, fingerprint = "mine", ""

    async def complete(self, instance: Instance, question: Question) -> Completion:
        current_span().set({"seen": instance.id})
        if instance.id == "tiny-2":
            raise ModelFailedError("secret message", 1)
        return Completion("secret completion", Finish.STOP, attempts=1)


async def _nothing(sample: Sample) -> Sample:
    await asyncio.sleep(0)
    return sample


async def _scored(sample: Sample) -> Sample:
    rendering = SampleRendering(
        usable=True,
        verdict=Verdict.RENDERED,
        engine_digest="abc",
        message="secret message",
    )
    sample = replace(sample, answer=SampleAnswer("secret completion"))
    return sample.ended_as(instance_facts(sample.instance), rendering, SampleScore(Outcome.SCORED))


async def _failed(sample: Sample) -> Sample:
    error = ServiceUnavailableError(
        "secret message", address="localhost:1", method="Render", status="UNAVAILABLE"
    )
    rendering = SampleRendering(Outcome.RENDER_FAILURE, Failure.of(error))
    return sample.ended_as(instance_facts(sample.instance), rendering)


async def _run(traces: SampleTraces, instances: tuple[Instance, ...], last=_scored) -> None:
    stages = [PipelineStage(_nothing, 2), PipelineStage(_nothing, 3), PipelineStage(last, 1)]
    names = list(StageName)
    traced = [traces.traced(name, stage) for name, stage in zip(names, stages, strict=True)]
    try:
        await run_pipeline(
            (Sample(instance) for instance in instances), traced, lambda sample: sample.ended, traces.ended
        )
    finally:
        traces.close()


async def test_the_stages_of_a_sample_are_in_its_trace(spans, instances) -> None:
    await _run(SampleTraces("/somewhere/runs/mine", "replay:mine", "paper"), instances)
    roots = spans.named("sample")
    assert len({one.trace_id for one in roots}) == len(instances) == 4
    for root in roots:
        below = [one for one in spans.all() if one.trace_id == root.trace_id and one.parent_id]
        assert [one.name for one in below] == ["generate", "render", "score"]
        assert {one.parent_id for one in below} == {root.span_id}
        assert not root.failed
    (root,) = (one for one in roots if one.attributes["i2s.sample.id"] == "tiny-1")
    assert root.attributes == {
        "i2s.sample.id": "tiny-1",
        "i2s.task": "latex",
        "i2s.subset": "s1",
        "i2s.run": "mine",
        "i2s.model": "replay:mine",
        "i2s.profile": "paper",
        "i2s.verdict": "rendered",
        "i2s.engine.digest": "abc",
        "i2s.outcome": "scored",
        "i2s.usable": True,
    }
    assert "secret" not in str(spans.all())
    assert "somewhere" not in str(spans.all())


async def test_a_failure_of_ours_marks_the_trace_by_its_type(spans, instances) -> None:
    await _run(SampleTraces("s3://bucket/runs/mine", "mine", "paper"), instances[:1], _failed)
    root = spans.only("sample")
    assert root.failed
    assert root.attributes["i2s.outcome"] == "render_failure"
    assert root.attributes["error.type"] == "ServiceUnavailableError"
    assert "secret" not in str(spans.all())


async def test_samples_that_are_given_up_end_their_traces(spans, instances) -> None:
    async def broken(sample: Sample) -> Sample:
        raise RuntimeError("secret message")

    with pytest.raises(RuntimeError):
        await _run(SampleTraces("mine", "mine", "paper"), instances, broken)
    roots = spans.named("sample")
    assert roots
    assert {root.attributes["error.type"] for root in roots} == {"given up"}
    assert [one.attributes["error.type"] for one in spans.named("score")] == ["RuntimeError"]
    assert "secret" not in str(spans.all())


async def test_a_run_has_a_span_of_the_model_below_each_sample(spans, instances, tmp_path: Path) -> None:
    data = read_folder(tmp_path / "data")
    plan = plan_run(choose(data, Profile.PAPER, (), Selection()), "mine", "")
    with RunFolder.open(tmp_path / "run") as folder:
        await Runner(plan, folder, (StageName.GENERATE,), Settings(), say_nothing, Scripted()).run()
    asked = {one.attributes["seen"]: one for one in spans.named("model")}
    generate = {one.span_id: one for one in spans.named("generate")}
    roots = {one.span_id: one for one in spans.named("sample")}
    assert len(asked) == len(generate) == len(roots) == 4
    for name, model in asked.items():
        root = roots[generate[model.parent_id].parent_id]
        assert root.attributes["i2s.sample.id"] == name
        assert root.attributes["i2s.run"] == "run"
        assert model.attributes["gen_ai.request.model"] == "mine"
        assert model.failed is root.failed is (name == "tiny-2")
    assert "secret" not in str(spans.all())


async def test_nothing_is_kept_of_samples_where_no_trace_is_recorded(instances) -> None:
    traces = SampleTraces("mine", "mine", "paper")
    await _run(traces, instances)
    assert traces._open == {}
