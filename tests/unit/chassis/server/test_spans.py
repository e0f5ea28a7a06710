"""What of a job stands in its trace."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from i2s_chassis.errors import CallError, InternalError, ResourceExhaustedError, Status, UnavailableError
from i2s_chassis.jail import Usage
from i2s_chassis.renderer.job import record_job, run_with_rerun
from i2s_chassis.renderer.model import RawStage
from i2s_chassis.server.admission import Admission, Ticket
from i2s_chassis.server.service import Chassis
from i2s_chassis.server.spans import TraceContext, call_span, current_span, end_call, parse_traceparent, span
from i2s_chassis.server.streaming import answer_stream
from i2s_chassis.server.telemetry import Telemetry
from i2s_chassis.warm.pool import Supervisor
from i2s_wire.tracing import RemoteParent
from recorded_spans import RecordedSpans, recorded

METHOD = "/i2s.render.v1.RenderService/Render"
NAME = METHOD[1:]


@pytest.fixture
def spans() -> Iterator[RecordedSpans]:
    with recorded() as found:
        yield found


@pytest.fixture
def chassis() -> Chassis:
    async def ignored(_: bool) -> None: ...

    telemetry = Telemetry("test")
    return Chassis(Admission(1, 1, telemetry), telemetry, asyncio.Event(), ignored)


def test_a_call_says_what_it_is_and_how_it_ended(spans):
    with call_span(METHOD, RemoteParent()) as call:
        end_call(call, Status.INVALID_ARGUMENT, "caller:lab")
    found = spans.only(NAME)
    assert (found.kind, found.failed) == ("SERVER", False)
    assert found.attributes == {
        "rpc.system": "grpc",
        "rpc.service": "i2s.render.v1.RenderService",
        "rpc.method": "Render",
        "rpc.grpc.status_code": 3,
        "i2s.caller": "caller:lab",
    }


@pytest.mark.parametrize("status", Status)
def test_statuses_that_are_faults_of_the_service_mark_the_call(spans, status):
    with call_span(METHOD, RemoteParent()) as call:
        end_call(call, status, "anonymous")
    faults = {Status.UNKNOWN, Status.DEADLINE_EXCEEDED, Status.INTERNAL, Status.UNAVAILABLE}
    assert spans.only(NAME).failed is (status in faults)


def test_the_stages_of_a_job_have_their_times_and_the_call_its_verdict(spans):
    telemetry, ticket = Telemetry("test"), Ticket(0.0, lambda: 0.0)
    stages = [
        RawStage("compile", Usage(wall_seconds=2.0, cpu_seconds=1.5), "format", ended_ns=10_000_000_000),
        RawStage("crop", Usage(wall_seconds=0.25), ended_ns=10_250_000_000),
    ]
    with call_span(METHOD, RemoteParent()):
        record_job(telemetry, ticket, verdict="time_limit", stages=stages, events=())
    compiled, crop, call = spans.all()
    assert (compiled.start, compiled.end) == (8_000_000_000, 10_000_000_000)
    assert (crop.start, crop.end) == (10_000_000_000, 10_250_000_000)
    assert compiled.parent_id == crop.parent_id == call.span_id
    assert compiled.attributes == {"i2s.stage.detail": "format", "i2s.cpu_seconds": 1.5}
    assert (call.attributes["i2s.verdict"], call.attributes["i2s.cpu_seconds"]) == ("time_limit", 1.5)


def test_a_stage_ends_when_it_is_noted():
    first = RawStage("compile")
    second = RawStage("crop")
    assert 0 < first.ended_ns <= second.ended_ns
    assert first == RawStage("compile", ended_ns=1)


async def test_the_wait_for_a_slot_is_a_span_and_fails_with_a_refusal(spans, chassis):
    with call_span(METHOD, RemoteParent()):
        async with chassis.admission.slot():
            pass
        with pytest.raises(CallError):
            async with chassis.admission.slot(), chassis.admission.slot(0.001):
                raise AssertionError
    free, taken, late, call = spans.all()
    assert {free.name, taken.name, late.name} == {"queue"}
    assert {free.parent_id, taken.parent_id, late.parent_id} == {call.span_id}
    assert (taken.failed, late.failed) == (False, True)
    assert late.attributes == {"error.type": "DeadlineExceededError"}


async def test_each_item_of_a_stream_is_a_span_with_what_was_done_for_it(spans, chassis):
    async def requests():
        for word in ("good", "bad", "bug"):
            yield word

    async def answer(word: str, ticket: Ticket) -> str:
        current_span().set({"i2s.verdict": word})
        if word == "bad":
            raise ResourceExhaustedError("no")
        if word == "bug":
            raise ZeroDivisionError
        return word

    with call_span(METHOD, RemoteParent()):
        async for _ in answer_stream(chassis, requests(), answer, lambda word, error: word):
            pass
    items, call = spans.named("item"), spans.only(NAME)
    status = {item.attributes["i2s.verdict"]: item.attributes["rpc.grpc.status_code"] for item in items}
    assert status == {
        "good": Status.OK,
        "bad": Status.RESOURCE_EXHAUSTED,
        "bug": Status.INTERNAL,
    }
    assert [item.attributes["i2s.verdict"] for item in items if item.failed] == ["bug"]
    assert {item.parent_id for item in items} == {call.span_id}
    assert {one.parent_id for one in spans.named("queue")} == {item.span_id for item in items}


async def test_a_second_run_of_a_job_is_an_event(spans):
    async def run() -> str:
        return "crashed"

    with call_span(METHOD, RemoteParent()):
        await run_with_rerun(run, lambda _: "crashed", Telemetry("test"), 3)
    assert spans.only(NAME).events == ("rerun",)


async def test_waiting_for_a_worker_is_of_the_job_and_making_the_next_is_not(spans):
    seen = []

    async def prepare() -> object:
        seen.append(current_span().is_recording)
        return object()

    async def close(_: object) -> None:
        seen.append(current_span().is_recording)

    async with Supervisor(prepare, close, size=1) as pool:
        with call_span(METHOD, RemoteParent()):
            async with pool.lease():
                assert current_span().is_recording
            for _ in range(20):
                await asyncio.sleep(0)
    assert len(seen) == 4  # two workers were made and closed
    assert not any(seen)
    assert spans.only("worker").parent_id == spans.only(NAME).span_id


@pytest.mark.parametrize("error", [InternalError("id"), UnavailableError("source text")])
def test_messages_of_errors_stay_out_of_traces(spans, error):
    def work() -> None:
        with call_span(METHOD, RemoteParent()) as call:
            end_call(call, error.status, "anonymous")
            with span("worker"):
                raise error

    with pytest.raises(CallError):
        work()
    assert len(spans.all()) == 2
    assert error.message not in str(spans.all())


TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


def test_example_of_the_recommendation():
    assert parse_traceparent(f"00-{TRACE}-{SPAN}-01") == TraceContext(TRACE, SPAN, sampled=True)


def test_later_version_may_have_more_fields():
    assert parse_traceparent(f"cc-{TRACE}-{SPAN}-00-what-ever") == TraceContext(TRACE, SPAN, sampled=False)


@pytest.mark.parametrize(
    "header",
    [
        "",
        f"ff-{TRACE}-{SPAN}-01",
        f"00-{TRACE}-{SPAN}-01-more",
        f"00-{'0' * 32}-{SPAN}-01",
        f"00-{TRACE}-{'0' * 16}-01",
        f"00-{TRACE.upper()}-{SPAN}-01",
        f"00-{TRACE}-{SPAN}",
        f"00-{TRACE}-{SPAN}-01\nx",
    ],
)
def test_invalid_header_is_none(header):
    assert parse_traceparent(header) is None
