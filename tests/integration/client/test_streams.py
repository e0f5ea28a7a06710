"""Many requests over one call: order, failures of single items, broken calls, back-pressure."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable

import grpc
import grpc.aio
import pytest

from i2s.metrics.v1 import metrics_pb2
from i2s.metrics.v1.metrics_pb2_grpc import MetricsServiceServicer
from i2s.render.v1 import render_pb2 as pb
from i2s.render.v1.render_pb2_grpc import RenderServiceServicer
from i2s_client import (
    AsyncMetricsClient,
    AsyncRenderClient,
    MetricsClient,
    RenderClient,
    RetryPolicy,
    ScoreRequest,
)
from i2s_sdk.errors import (
    DeadlineError,
    ProtocolError,
    RequestRefusedError,
    ServiceUnavailableError,
    UsageError,
)
from i2s_wire.render.rendering import Verdict
from i2s_wire.render.request import LatexSource, LilypondSource, RenderRequest, SiteSource

pytestmark = pytest.mark.integration

QUICK = RetryPolicy(total_seconds=10.0, first_pause=0.01, longest_pause=0.05)
UNAVAILABLE, INVALID = grpc.StatusCode.UNAVAILABLE.value[0], grpc.StatusCode.INVALID_ARGUMENT.value[0]

Step = Callable[[pb.RenderRequest, int], pb.RenderStreamResponse | None]


def rendered(request: pb.RenderRequest) -> pb.RenderStreamResponse:
    answer = pb.RenderResponse(id=request.id, verdict=pb.VERDICT_NO_OUTPUT, message=request.id)
    return pb.RenderStreamResponse(id=request.id, response=answer)


def failed(request: pb.RenderRequest, code: int, **more: object) -> pb.RenderStreamResponse:
    return pb.RenderStreamResponse(id=request.id, failure=pb.Failure(code=code, message="because", **more))


class Stream(RenderServiceServicer):
    """Answers each request by ``step``, which is told how often it has seen that id; None answers nothing."""

    def __init__(self, step: Step, *, break_after: int = 0, hold: int = 1) -> None:
        self.step, self.break_after, self.hold = step, break_after, hold
        self.seen: list[str] = []
        self.calls = 0
        self.ended = asyncio.Event()

    async def RenderStream(  # noqa: N802
        self, request_iterator: AsyncIterator[pb.RenderRequest], context: grpc.aio.ServicerContext
    ) -> AsyncIterator[pb.RenderStreamResponse]:
        self.calls += 1
        held: list[pb.RenderStreamResponse] = []
        answered = 0
        try:
            async for request in request_iterator:
                self.seen.append(request.id)
                answer = self.step(request, self.seen.count(request.id))
                if answer is not None:
                    held.append(answer)
                if len(held) < self.hold:
                    continue
                for one in reversed(held):
                    yield one
                    answered += 1
                held.clear()
                if self.calls == 1 and self.break_after and answered >= self.break_after:
                    await context.abort(grpc.StatusCode.UNAVAILABLE, "going away")
            for one in reversed(held):
                yield one
        finally:
            self.ended.set()


def requests(count: int) -> list[RenderRequest]:
    return [RenderRequest(LatexSource(b"x"), id=f"job-{number}") for number in range(count)]


async def results(address: str, wanted, **options):
    async with AsyncRenderClient(address, retry=QUICK) as client:
        return {item.id: item async for item in client.render_stream(wanted, **options)}


async def test_answers_in_any_order_belong_to_their_ids(serve) -> None:
    stream = Stream(lambda request, seen: rendered(request), hold=5)
    found = await results(await serve(stream), requests(20))
    assert len(found) == 20
    assert all(item.result().message == name for name, item in found.items())
    assert stream.calls == 1


async def test_an_item_that_is_unavailable_is_sent_again_alone(serve) -> None:
    stream = Stream(
        lambda request, seen: (
            failed(request, UNAVAILABLE) if request.id == "job-3" and seen < 3 else rendered(request)
        )
    )
    found = await results(await serve(stream), requests(8))
    assert all(item.error is None for item in found.values())
    assert stream.seen.count("job-3") == 3
    assert len(stream.seen) == 10
    assert stream.calls == 1


async def test_an_item_that_stays_unavailable_is_given_up_and_the_others_are_answered(serve) -> None:
    stream = Stream(
        lambda request, seen: failed(request, UNAVAILABLE) if request.id == "job-1" else rendered(request)
    )
    async with AsyncRenderClient(await serve(stream), retry=RetryPolicy(0.3, 0.01, 0.05)) as client:
        found = {item.id: item async for item in client.render_stream(requests(3))}
    error = found["job-1"].error
    assert isinstance(error, ServiceUnavailableError)
    assert error.attempts > 1
    with pytest.raises(ServiceUnavailableError, match="because"):
        found["job-1"].result()
    assert found["job-0"].result().verdict is found["job-2"].result().verdict is Verdict.NO_OUTPUT


async def test_an_item_that_is_refused_is_told_at_once(serve) -> None:
    stream = Stream(
        lambda request, seen: failed(request, INVALID) if request.id == "job-1" else rendered(request)
    )
    found = await results(await serve(stream), requests(3))
    assert isinstance(found["job-1"].error, RequestRefusedError)
    assert stream.seen.count("job-1") == 1
    assert len(found) == 3


async def test_an_answer_outside_of_the_contract_fails_its_item_only(serve) -> None:
    def step(request: pb.RenderRequest, seen: int) -> pb.RenderStreamResponse:
        answer = rendered(request)
        if request.id == "job-1":
            answer.response.verdict = 99  # type: ignore[assignment]
        return answer

    found = await results(await serve(Stream(step)), requests(3))
    assert isinstance(found["job-1"].error, ProtocolError)
    assert found["job-2"].error is None


async def test_what_has_no_answer_when_the_call_breaks_is_sent_again_and_nothing_else(serve) -> None:
    stream = Stream(lambda request, seen: rendered(request), break_after=4)
    async with AsyncRenderClient(await serve(stream), retry=QUICK) as client:
        found = [item async for item in client.render_stream(requests(12), window=6)]
    assert [item.error for item in found] == [None] * 12
    assert len({item.id for item in found}) == 12
    assert stream.calls == 2
    # Answers on their way when a call breaks can be lost with it, but no more than the window holds.
    assert len(stream.seen) <= 12 + 6


async def test_an_item_without_answer_ends_at_its_deadline(serve) -> None:
    stream = Stream(lambda request, seen: None if request.id == "job-1" else rendered(request))
    found = await results(await serve(stream), requests(3), deadline=0.5)
    assert isinstance(found["job-1"].error, DeadlineError)
    assert found["job-0"].error is found["job-2"].error is None


async def test_nobody_there_is_an_error_of_every_item() -> None:
    async with AsyncRenderClient("127.0.0.1:1", retry=RetryPolicy(0.3, 0.01, 0.05)) as client:
        found = [item async for item in client.render_stream(requests(3))]
    assert [type(item.error) for item in found] == [ServiceUnavailableError] * 3


async def test_a_slow_caller_stops_the_source(serve) -> None:
    asked = 0

    async def source() -> AsyncIterator[RenderRequest]:
        nonlocal asked
        for request in requests(50):
            asked += 1
            yield request

    stream = Stream(lambda request, seen: rendered(request))
    async with AsyncRenderClient(await serve(stream), retry=QUICK) as client:
        taken = 0
        async for _ in client.render_stream(source(), window=4):
            for _ in range(20):  # whatever can move moves
                await asyncio.sleep(0)
            assert asked <= taken + 4
            taken += 1
    assert asked == taken == 50


async def test_leaving_early_ends_the_call(serve) -> None:
    stream = Stream(lambda request, seen: rendered(request))
    async with AsyncRenderClient(await serve(stream), retry=QUICK) as client:
        items = client.render_stream(requests(50), window=2)
        async for _ in items:
            break
        await items.aclose()
        await asyncio.wait_for(stream.ended.wait(), 30)
    assert len(stream.seen) < 50


@pytest.mark.parametrize("ids", [["a", "a"], [""]])
async def test_ids_must_be_there_and_differ(ids: list[str], serve) -> None:
    stream = Stream(lambda request, seen: None)
    wanted = [RenderRequest(LatexSource(b"x"), id=one) for one in ids]
    with pytest.raises(UsageError, match="ids that differ"):
        await results(await serve(stream), wanted)


async def test_what_the_source_raises_is_raised(serve) -> None:
    def source():
        yield requests(1)[0]
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        await results(await serve(Stream(lambda request, seen: rendered(request))), source())


async def test_every_kind_of_source_can_be_sent(serve) -> None:
    kinds: list[str | None] = []

    def step(request: pb.RenderRequest, seen: int) -> pb.RenderStreamResponse:
        kinds.append(request.WhichOneof("source"))
        return rendered(request)

    sources = [
        LatexSource(b"x"),
        SiteSource({"index.html": b"x"}, {"a": b"y"}),
        LilypondSource(b"x", "2.18.0"),
    ]
    wanted = [RenderRequest(source, id=str(number)) for number, source in enumerate(sources)]
    await results(await serve(Stream(step)), wanted)
    assert kinds == ["latex", "site", "lilypond"]


async def test_plain_code_gets_the_same_even_where_a_loop_runs(serve) -> None:
    address = await serve(Stream(lambda request, seen: rendered(request)))

    def plain() -> list[str]:
        with RenderClient(address, retry=QUICK) as client:
            return sorted(item.result().message for item in client.render_stream(iter(requests(9)), window=2))

    assert await asyncio.to_thread(plain) == sorted(f"job-{number}" for number in range(9))


class Scores(MetricsServiceServicer):
    """Keeps what it was sent, and forgets an image after it was named so often."""

    def __init__(self, forget_after: int = 1_000) -> None:
        self.whole: list[str] = []
        self.named: list[str] = []
        self.forget_after = forget_after

    async def ScoreStream(  # noqa: N802
        self, request_iterator: AsyncIterator[metrics_pb2.ScoreRequest], context: grpc.aio.ServicerContext
    ) -> AsyncIterator[metrics_pb2.ScoreStreamResponse]:
        async for request in request_iterator:
            digest = request.reference.sha256
            if digest:
                self.named.append(digest)
            else:
                self.whole.append(hashlib.sha256(request.reference.data).hexdigest())
            if digest and len(self.named) > self.forget_after:
                failure = metrics_pb2.Failure(code=grpc.StatusCode.NOT_FOUND.value[0], message="forgotten")
                yield metrics_pb2.ScoreStreamResponse(id=request.id, failure=failure)
            else:
                response = metrics_pb2.ScoreResponse(id=request.id, profile=metrics_pb2.PROFILE_PAPER)
                yield metrics_pb2.ScoreStreamResponse(id=request.id, response=response)


def pairs(count: int, references: int = 1) -> list[ScoreRequest]:
    return [ScoreRequest(b"r%d" % (one % references), b"p%d" % one, id=str(one)) for one in range(count)]


async def test_a_reference_is_sent_once_and_named_afterwards(serve) -> None:
    scores = Scores()
    async with AsyncMetricsClient(await serve(scores), retry=QUICK) as client:
        found = [item async for item in client.score_stream(pairs(20, references=2))]
    assert all(item.error is None for item in found)
    assert len(scores.whole) == 2
    assert len(scores.named) == 18


async def test_a_reference_that_was_forgotten_is_sent_again(serve) -> None:
    scores = Scores(forget_after=3)
    async with AsyncMetricsClient(await serve(scores), retry=QUICK) as client:
        found = [item async for item in client.score_stream(pairs(6))]
    assert all(item.error is None for item in found)
    assert len(scores.whole) == 3


async def test_scores_for_plain_code(serve) -> None:
    address = await serve(Scores())

    def plain() -> int:
        with MetricsClient(address, retry=QUICK) as client:
            return sum(item.error is None for item in client.score_stream(pairs(5)))

    assert await asyncio.to_thread(plain) == 5
