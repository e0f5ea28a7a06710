"""One trace for each sample, whatever becomes of it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from i2s_sdk.data import Instance, Selection, read_folder
from i2s_sdk.errors import ServiceUnavailableError
from i2s_sdk.models import Completion, Finish, ModelFailedError
from i2s_sdk.models.model import Model
from i2s_sdk.run.pipeline import Stage, run_pipeline, say_nothing
from i2s_sdk.run.plan import choose, plan_run
from i2s_sdk.run.runner import Runner, StageName
from i2s_sdk.run.sample import Sample, SampleTraces, instance_facts
from i2s_sdk.run.storage.answer import SampleAnswer
from i2s_sdk.run.storage.folder import RunFolder
from i2s_sdk.run.storage.record import Failure, Outcome, SampleRendering, SampleScore
from i2s_sdk.settings import Settings
from i2s_sdk.tasks.question import Question
from i2s_wire.metrics.profile import Profile
from i2s_wire.render.rendering import Verdict
from i2s_wire.tracing import current_span
from recorded_spans import RecordedSpans, recorded
from tiny_formulas import write_tiny_formulas


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
    stages = [Stage(_nothing, 2), Stage(_nothing, 3), Stage(last, 1)]
    names = list(StageName)
    traced = [traces.traced(name, stage) for name, stage in zip(names, stages, strict=True)]
    try:
        await run_pipeline(
            (Sample(one) for one in instances), traced, lambda sample: sample.ended, traces.ended
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
    assert {one.attributes["error.type"] for one in roots} == {"given up"}
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
