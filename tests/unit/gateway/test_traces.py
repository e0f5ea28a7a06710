"""The gateway has a span for each request, between that of the caller and that of the service."""

from __future__ import annotations

from collections.abc import Iterator

import grpc
import httpx
import pytest

from i2s.render.v1 import render_pb2 as pb
from recorded_spans import RecordedSpans, recorded
from served_gateway import renderer, served

RENDER = {"id": "7", "latex": {"document_text": "x"}}
TRACE_ID, SPAN_ID = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
TRACE = {"traceparent": f"00-{TRACE_ID}-{SPAN_ID}-01", "tracestate": "vendor=1"}


@pytest.fixture
def spans() -> Iterator[RecordedSpans]:
    with recorded() as found:
        yield found


async def test_a_request_has_a_span_between_those_of_caller_and_service(
    client: httpx.AsyncClient, spans: RecordedSpans
) -> None:
    answer = await client.post("/v1/render", json=RENDER, headers={**TRACE, "X-Request-ID": "mine-1"})
    span = spans.only("POST /v1/render")
    assert (span.kind, span.failed) == ("SERVER", False)
    assert (span.trace_id, span.parent_id) == (int(TRACE_ID, 16), int(SPAN_ID, 16))
    assert span.attributes == {
        "http.request.method": "POST",
        "http.route": "/v1/render",
        "http.response.status_code": 200,
        "i2s.request_id": "mine-1",
    }
    log = answer.json()["log"]["head"].splitlines()
    assert f"traceparent=00-{TRACE_ID}-{span.span_id:016x}-01" in log
    assert "tracestate=vendor=1" in log


async def test_without_a_trace_of_the_caller_one_begins(
    client: httpx.AsyncClient, spans: RecordedSpans
) -> None:
    answer = await client.post("/v1/render", json=RENDER)
    span = spans.only("POST /v1/render")
    assert span.parent_id == 0
    assert f"traceparent=00-{span.trace_id:032x}-{span.span_id:016x}-" in answer.json()["log"]["head"]


async def test_a_wrong_request_is_no_failure_of_the_gateway(
    client: httpx.AsyncClient, spans: RecordedSpans
) -> None:
    await client.post("/v1/render", json={"latex": 7})
    span = spans.only("POST /v1/render")
    assert (span.failed, span.attributes["http.response.status_code"]) == (False, 400)


async def test_a_service_that_is_not_available_is_a_failure(spans: RecordedSpans) -> None:
    async def refuse(request: pb.RenderRequest, context: grpc.aio.ServicerContext) -> pb.RenderResponse:
        await context.abort(grpc.StatusCode.UNAVAILABLE, "it is ending")
        raise AssertionError

    async with (
        renderer(refuse) as address,
        served({"render-latex": address}, wait_seconds=0.0) as url,
        httpx.AsyncClient(base_url=url) as client,
    ):
        assert (await client.post("/v1/render", json=RENDER)).status_code == 503
    span = spans.only("POST /v1/render")
    assert (span.failed, span.attributes["error.type"]) == (True, "UNAVAILABLE")
    assert span.attributes["http.response.status_code"] == 503
