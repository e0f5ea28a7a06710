"""A batch whose services are gone or whose time is over ends, with a reason for each completion."""

from __future__ import annotations

import asyncio
import io
import traceback
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import grpc
import pytest
from PIL import Image

from i2s_client.status import stream_error
from i2s_sdk.errors import (
    DeadlineError,
    I2SError,
    ScorerError,
    ServiceFaultError,
    ServiceUnavailableError,
)
from i2s_sdk.instances.instance import Content
from i2s_sdk.run.score import ScoreStep
from i2s_sdk.run.storage.record import Outcome, SampleAnswer, SampleInstance, SampleRendering
from i2s_sdk.scoring.scorer import ScorerLimits
from i2s_sdk.scoring.workers import ScorerWorkers
from i2s_sdk.tasks.registry import open_task
from i2s_training.completion_scorer import CompletionScorer, RoundTripRequest
from i2s_wire.render.rendering import Verdict

SLOTS, COMPLETIONS = 4, 24


def _png(shade: int = 0) -> bytes:
    output = io.BytesIO()
    Image.new("L", (4, 4), shade).save(output, "PNG")
    return output.getvalue()


PICTURE = _png()


class _Renderer:
    """Reads and renders as a test says, and counts."""

    def __init__(self, answer: Callable[[int], Awaitable[None]]) -> None:
        self.asked, self._answer = 0, answer

    async def render(
        self, facts: SampleInstance, content: Content, answer: SampleAnswer
    ) -> tuple[SampleRendering, bytes | None]:
        self.asked += 1
        await self._answer(self.asked)
        return SampleRendering(usable=True, verdict=Verdict.RENDERED), PICTURE


def scorer(renderer: _Renderer, batch_seconds: float = 0.0) -> CompletionScorer:
    task, workers = open_task("latex"), ScorerWorkers(ScorerLimits())
    scoring = ScoreStep(task, None, (), (), workers)
    slots = asyncio.Semaphore(SLOTS)
    return CompletionScorer(
        {"latex": renderer}, {"latex": scoring}, slots, {}, frozenset(), workers, batch_seconds=batch_seconds
    )


def gone() -> ServiceUnavailableError:
    return ServiceUnavailableError("nobody answers", address="a:1", method="Render", status="UNAVAILABLE")


REQUESTS = [RoundTripRequest(PICTURE, f"${number}$") for number in range(COMPLETIONS)]


async def test_one_completion_without_an_answer_speaks_for_all_if_none_has_one() -> None:
    never = asyncio.Event()

    async def answer(number: int) -> None:
        if number < SLOTS:
            await never.wait()  # in the middle of attempts of their own
        raise gone()

    renderer = _Renderer(answer)
    results = await scorer(renderer).score_each(REQUESTS)
    assert renderer.asked == SLOTS
    assert all(isinstance(result, ServiceUnavailableError) for result in results)
    reasons = [result.message for result in results if isinstance(result, I2SError)]
    assert reasons.count("not judged, as a service is gone: nobody answers") == COMPLETIONS - 1
    assert reasons.count("nobody answers") == 1


def _frames(error: BaseException) -> int:
    return sum(1 for _ in traceback.walk_tb(error.__traceback__))


async def test_each_completion_has_an_error_of_its_own() -> None:
    never = asyncio.Event()

    async def first_gone(number: int) -> None:
        if number == 1:
            raise gone()
        await never.wait()

    async def all_late(number: int) -> None:
        await never.wait()

    for answer, seconds in ((first_gone, 0.0), (all_late, 0.2)):
        results = await scorer(_Renderer(answer), seconds).score_each(REQUESTS)
        assert len({id(result) for result in results}) == COMPLETIONS
        assert max(_frames(result) for result in results if isinstance(result, I2SError)) < 10


async def test_a_task_that_cannot_be_read_leads_to_errors_with_short_tracebacks() -> None:
    cause = gone()
    for _ in range(COMPLETIONS):
        with pytest.raises(ServiceUnavailableError):
            await replace(scorer(_Renderer(_at_once)), reads={"latex": cause}).score(REQUESTS[0])
    assert _frames(cause) < 10


async def _at_once(number: int) -> None:
    """Answer at once."""


async def test_an_answer_that_meets_a_defect_is_a_failure_alone(caplog: pytest.LogCaptureFixture) -> None:
    async def answer(number: int) -> None:
        if number == 2:
            raise OverflowError("cannot convert float infinity to integer")

    results = await scorer(_Renderer(answer)).score_each(REQUESTS)
    (failure,) = [result for result in results if isinstance(result, I2SError)]
    assert isinstance(failure, ScorerError)
    assert failure.message.startswith("OverflowError while ")
    assert "cannot convert float infinity" in caplog.text
    many = await scorer(_Renderer(answer)).score_many(REQUESTS)
    assert [result.outcome for result in many].count(Outcome.METRIC_FAILURE) == 1
    assert sum(result.outcome.counts for result in many) == COMPLETIONS - 1


async def test_the_next_batch_asks_again() -> None:
    async def answer(number: int) -> None:
        if number == 1:
            raise gone()

    renderer = _Renderer(answer)
    judges = scorer(renderer)
    assert all(isinstance(one, I2SError) for one in await judges.score_each(REQUESTS[:1]))
    assert not any(isinstance(one, I2SError) for one in await judges.score_each(REQUESTS))


async def test_a_service_that_answers_others_is_not_gone() -> None:
    others = asyncio.Event()

    async def answer(number: int) -> None:
        if number == 1:
            await others.wait()
            raise gone()
        if number == COMPLETIONS:
            others.set()

    renderer = _Renderer(answer)
    results = await scorer(renderer).score_each(REQUESTS)
    assert renderer.asked == COMPLETIONS
    assert sum(isinstance(result, I2SError) for result in results) == 1


async def test_a_completion_whose_processes_are_killed_says_nothing_of_the_others() -> None:
    async def answer(number: int) -> None:
        if number == 1:
            raise stream_error(grpc.StatusCode.ABORTED, "something outside killed it", 0, "a:1", "Render")

    renderer = _Renderer(answer)
    results = await scorer(renderer).score_each(REQUESTS)
    assert renderer.asked == COMPLETIONS
    (killed,) = [result for result in results if isinstance(result, I2SError)]
    assert isinstance(killed, ServiceFaultError)


async def test_a_batch_ends_within_its_time() -> None:
    never = asyncio.Event()

    async def answer(number: int) -> None:
        if number > 2:
            await never.wait()

    results = await scorer(_Renderer(answer), batch_seconds=0.5).score_each(REQUESTS)
    late = [result for result in results if isinstance(result, DeadlineError)]
    assert len(late) == COMPLETIONS - 2
    assert {one.message for one in late} == {"the batch was not judged within batch_seconds (0.5 s)"}


async def test_many_are_no_batch() -> None:
    async def answer(number: int) -> None:
        await asyncio.sleep(0.02)
        if number == 1:
            raise gone()

    renderer = _Renderer(answer)
    results = await scorer(renderer, batch_seconds=0.05).score_many(REQUESTS)
    assert renderer.asked == COMPLETIONS
    assert [result.outcome for result in results].count(Outcome.RENDER_FAILURE) == 1
    assert sum(result.verdict is Verdict.RENDERED for result in results) == COMPLETIONS - 1


async def test_a_batch_that_is_cancelled_is_cancelled() -> None:
    begun, never = asyncio.Event(), asyncio.Event()

    async def answer(number: int) -> None:
        begun.set()
        await never.wait()

    judging = asyncio.create_task(scorer(_Renderer(answer)).score_each(REQUESTS))
    await begun.wait()
    judging.cancel()
    with pytest.raises(asyncio.CancelledError):
        await judging


async def test_equal_completions_of_a_batch_are_rendered_once_and_keep_their_names() -> None:
    renderer = _Renderer(_at_once)
    wanted = [RoundTripRequest(PICTURE, text, id=str(at)) for at, text in enumerate(("$x$", "$y$", "$x$"))]
    other = RoundTripRequest(_png(2), "$x$", id="3")
    found = await scorer(renderer).score_each([*wanted, other, gone()])
    assert renderer.asked == 3
    assert [one.record.instance.id for one in found if not isinstance(one, I2SError)] == list("0123")
    assert isinstance(found[4], ServiceUnavailableError)


async def test_a_reference_is_read_once_for_the_completions_of_a_batch(tmp_path: Path) -> None:
    image, read = tmp_path / "a.png", list[int]()
    image.write_bytes(PICTURE)

    async def removes(number: int) -> None:
        read.append(number)
        image.unlink(missing_ok=True)

    judges = replace(scorer(_Renderer(removes)), slots=asyncio.Semaphore(1))
    found = await judges.score_each([RoundTripRequest(image, f"${at}$") for at in range(3)])
    assert len(read) == 3
    assert not any(isinstance(one, I2SError) for one in found)
