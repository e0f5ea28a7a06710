"""Calls in traces: a span each, whatever its attempts, which the service continues."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import grpc
import grpc.aio
import pytest

from i2s.render.v1 import render_pb2 as pb
from i2s_client import AsyncRenderClient, RenderClient, RetryPolicy
from i2s_client.credentials import Token
from i2s_sdk.errors import ServiceFaultError
from i2s_wire.render.request import LatexSource, RenderRequest
from i2s_wire.tracing import begin_trace, within
from recorded_spans import RecordedSpan, RecordedSpans, recorded

pytestmark = pytest.mark.integration

NAME = "i2s.render.v1.RenderService/Render"
QUICK = RetryPolicy(total_seconds=10.0, first_pause=0.01, longest_pause=0.05)


@pytest.fixture
def spans() -> Iterator[RecordedSpans]:
    with recorded() as found:
        yield found


class Seen:
    """Notes the metadata of calls, and then does what a step does."""

    def __init__(self) -> None:
        self.metadata: list[dict[str, str]] = []

    def __call__(self, step):
        async def noted(request: pb.RenderRequest, context: grpc.aio.ServicerContext) -> pb.RenderResponse:
            self.metadata.append(dict(context.invocation_metadata()))
            return await step(request, context)

        return noted


def header(span: RecordedSpan) -> str:
    """The value without its flags, one of which says that the identifiers are random."""
    return f"00-{span.trace_id:032x}-{span.span_id:016x}"


def sent(metadata: dict[str, str]) -> str:
    identifiers, _, flags = metadata["traceparent"].rpartition("-")
    assert int(flags, 16) & 1  # sampled
    return identifiers


async def test_the_service_is_told_the_span_of_the_call(serve, scripted, steps, spans) -> None:
    _, answer = steps
    seen = Seen()
    address = await serve(scripted(seen(answer())))
    root = begin_trace("sample")
    async with AsyncRenderClient(address, retry=QUICK) as client:
        with within(root):
            await client.render_latex("secret source")
    root.end()
    call, sample = spans.all()
    assert (call.name, call.kind, call.parent_id) == (NAME, "CLIENT", sample.span_id)
    assert call.attributes == {
        "rpc.system": "grpc",
        "rpc.service": "i2s.render.v1.RenderService",
        "rpc.method": "Render",
        "server.address": address,
        "rpc.grpc.status_code": 0,
    }
    assert sent(seen.metadata[0]) == header(call)


async def test_all_attempts_of_a_call_are_in_one_span(serve, scripted, steps, spans) -> None:
    status, answer = steps
    seen = Seen()
    full = seen(status(grpc.StatusCode.RESOURCE_EXHAUSTED, "full", grpc_retry_pushback_ms="10"))
    async with AsyncRenderClient(await serve(scripted(full, full, seen(answer()))), retry=QUICK) as client:
        await client.render_latex("x")
    call = spans.only(NAME)
    assert (call.failed, call.events) == (False, ("attempt failed", "attempt failed"))
    assert [sent(one) for one in seen.metadata] == [header(call)] * 3


async def test_a_failed_call_says_its_status_and_no_more(serve, scripted, steps, spans) -> None:
    status, _ = steps
    broken = scripted(status(grpc.StatusCode.INTERNAL, "secret detail"))
    async with AsyncRenderClient(await serve(broken), retry=QUICK) as client:
        with pytest.raises(ServiceFaultError):
            await client.render_latex("x")
    call = spans.only(NAME)
    assert call.failed
    assert (call.attributes["rpc.grpc.status_code"], call.attributes["i2s.attempts"]) == (13, 1)
    assert call.attributes["error.type"] == "ServiceFaultError"
    assert "secret" not in str(spans.all())


async def test_plain_code_makes_the_same_spans(serve, scripted, steps, spans) -> None:
    _, answer = steps
    seen = Seen()
    address = await serve(scripted(seen(answer())))
    token = Token("secret", "test")
    with RenderClient(address, retry=QUICK, token=token) as client:
        await asyncio.to_thread(client.render_latex, "x")
    call = spans.only(NAME)
    assert (call.parent_id, call.attributes["rpc.grpc.status_code"]) == (0, 0)
    assert sent(seen.metadata[0]) == header(call)
    assert seen.metadata[0]["authorization"] == "Bearer secret"
    assert "secret" not in str(spans.all())


async def test_a_stream_is_a_span_for_each_of_its_calls(serve, scripted, spans) -> None:
    class Streaming(scripted):
        metadata: dict[str, str]

        async def RenderStream(self, request_iterator, context):  # noqa: N802
            self.metadata = dict(context.invocation_metadata())
            async for request in request_iterator:
                response = pb.RenderResponse(id=request.id, verdict=pb.VERDICT_NO_OUTPUT)
                yield pb.RenderStreamResponse(id=request.id, response=response)

    renderer = Streaming()
    requests = [RenderRequest(LatexSource(b"x", {}), id=str(number)) for number in range(3)]
    async with AsyncRenderClient(await serve(renderer), retry=QUICK) as client:
        assert len([item async for item in client.render_stream(requests)]) == 3
    call = spans.only("i2s.render.v1.RenderService/RenderStream")
    assert (call.kind, call.failed) == ("CLIENT", False)
    assert sent(renderer.metadata) == header(call)
