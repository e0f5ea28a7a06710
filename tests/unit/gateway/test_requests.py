"""Requests and answers of a gateway in front of a renderer of this test."""

import asyncio

import grpc
import httpx
import pytest

from i2s.render.v1 import render_pb2 as pb
from i2s_gateway.answers import VERDICT_HEADER
from served_gateway import renderer, served

RENDER = {"id": "7", "latex": {"document_text": "x"}}


async def test_the_answer_of_the_service_is_passed_on(client):
    answer = await client.post("/v1/render", json=RENDER)
    assert answer.status_code == 200
    assert (answer.json()["id"], answer.json()["message"]) == ("7", "x")


async def test_credentials_trace_and_name_are_passed_on_and_nothing_else(client):
    trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    headers = {
        "Authorization": "Bearer t",
        "X-Request-ID": "mine-1",
        "traceparent": trace,
        "tracestate": "vendor=1",
        "Cookie": "c=1",
        "X-Forwarded-For": "10.0.0.1",
    }
    answer = await client.post("/v1/render", json=RENDER, headers=headers)
    assert answer.headers["X-Request-ID"] == "mine-1"
    log = answer.json()["log"]["head"].splitlines()
    assert {"authorization=Bearer t", "x-request-id=mine-1", "tracestate=vendor=1"} <= set(log)
    # The span within the trace is the gateway's own where this process records any, see test_traces.py.
    assert any(line.startswith(f"traceparent={trace[:36]}") for line in log)
    assert not any(line.startswith(("cookie", "x-forwarded-for")) for line in log)


@pytest.mark.parametrize("name", ["", "a b", "x" * 65, "a;b"])
async def test_a_name_that_a_log_cannot_hold_is_replaced(client, name):
    answer = await client.get("/v1/health", headers={"X-Request-ID": name})
    assert len(answer.headers["X-Request-ID"]) == 16


async def test_a_picture_alone_can_be_asked_for():
    async def draw(request, context):
        if request.latex.document != b"good":
            return pb.RenderResponse(verdict=pb.VERDICT_NO_OUTPUT)
        return pb.RenderResponse(verdict=pb.VERDICT_RENDERED, pictures=[pb.Picture(png=b"\x89PNG")])

    async with (
        renderer(draw) as address,
        served({"render-latex": address}) as url,
        httpx.AsyncClient(base_url=url, headers={"Accept": "image/png"}) as client,
    ):
        good = await client.post("/v1/render", json={"latex": {"document_text": "good"}})
        assert (good.status_code, good.headers["content-type"]) == (200, "image/png")
        assert (good.content, good.headers[VERDICT_HEADER]) == (b"\x89PNG", "RENDERED")
        bad = await client.post("/v1/render", json=RENDER)
        assert (bad.status_code, bad.headers[VERDICT_HEADER]) == (422, "NO_OUTPUT")
        assert bad.json()["verdict"] == "VERDICT_NO_OUTPUT"


@pytest.mark.parametrize(
    ("method", "path", "status", "name"),
    [
        ("GET", "/nothing", 404, "NOT_FOUND"),
        ("GET", "/v1/render", 405, "UNIMPLEMENTED"),
        ("DELETE", "/", 405, "UNIMPLEMENTED"),
        ("GET", "/v1/services/metrics", 404, "NOT_FOUND"),
        ("GET", "/..%2f..%2fetc/passwd", 404, "NOT_FOUND"),
    ],
)
async def test_what_there_is_not_is_said_as_json(client, method, path, status, name):
    answer = await client.request(method, path)
    assert (answer.status_code, answer.json()["error"]["status"]) == (status, name)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({}, "one of latex, site, lilypond, python"),
        ({"site": {}}, "'render-html' is not behind this gateway; there are: render-latex"),
    ],
)
async def test_a_request_that_no_renderer_takes_is_refused(client, body, told):
    answer = await client.post("/v1/render", json=body)
    assert told in answer.json()["error"]["message"]


async def test_a_renderer_can_be_named(client):
    answer = await client.post("/v1/render?service=render-latex", json={"site": {}})
    assert answer.status_code == 200
    answer = await client.post("/v1/render?service=other", json={"site": {}})
    assert answer.status_code == 404


STATUSES = [
    (grpc.StatusCode.INVALID_ARGUMENT, (), 400, None),
    (grpc.StatusCode.UNAUTHENTICATED, (), 401, None),
    (grpc.StatusCode.PERMISSION_DENIED, (), 403, None),
    (grpc.StatusCode.RESOURCE_EXHAUSTED, (("grpc-retry-pushback-ms", "1500"),), 429, 1.5),
    (grpc.StatusCode.RESOURCE_EXHAUSTED, (), 413, None),
    (grpc.StatusCode.UNIMPLEMENTED, (), 501, None),
    (grpc.StatusCode.INTERNAL, (), 500, None),
    (grpc.StatusCode.DATA_LOSS, (), 500, None),
    (grpc.StatusCode.DEADLINE_EXCEEDED, (), 504, None),
]


@pytest.mark.parametrize(("code", "metadata", "status", "seconds"), STATUSES)
async def test_a_status_of_grpc_is_one_of_http(code, metadata, status, seconds):
    async def fail(request, context):
        context.set_trailing_metadata(metadata)
        await context.abort(code, "why")

    async with (
        renderer(fail) as address,
        served({"render-latex": address}, wait_seconds=0.0) as url,
        httpx.AsyncClient(base_url=url) as client,
    ):
        answer = await client.post("/v1/render", json=RENDER)
    error = {"status": code.name, "message": "why"}
    if seconds is not None:
        error["retry_after_seconds"] = seconds
        assert answer.headers["Retry-After"] == "2"
    assert (answer.status_code, answer.json()) == (status, {"error": error})
    assert ("WWW-Authenticate" in answer.headers) == (status == 401)


async def test_a_call_has_a_deadline():
    async def never(request, context):
        await asyncio.Event().wait()

    async with (
        renderer(never) as address,
        served({"render-latex": address}, deadline=0.1) as url,
        httpx.AsyncClient(base_url=url) as client,
    ):
        answer = await client.post("/v1/render", json=RENDER)
    assert (answer.status_code, answer.json()["error"]["status"]) == (504, "DEADLINE_EXCEEDED")


async def test_a_caller_who_goes_away_ends_the_job():
    begun, ended = asyncio.Event(), asyncio.Event()

    async def wait(request, context):
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async with (
        renderer(wait) as address,
        served({"render-latex": address}) as url,
        httpx.AsyncClient(base_url=url) as client,
    ):
        asking = asyncio.create_task(client.post("/v1/render", json=RENDER))
        await begun.wait()
        asking.cancel()
        await ended.wait()


async def test_a_large_document_goes_both_ways(client):
    text = "é" * 4_000_000
    answer = await client.post("/v1/render", json={"latex": {"document_text": text}}, timeout=120)
    assert answer.json()["message"] == text


async def test_requests_under_way_are_answered_at_the_end():
    begun, go = asyncio.Event(), asyncio.Event()

    async def wait(request, context):
        begun.set()
        await go.wait()
        return pb.RenderResponse(message="done")

    async with renderer(wait) as address, httpx.AsyncClient() as client:
        async with served({"render-latex": address}) as url:
            asking = asyncio.create_task(client.post(f"{url}/v1/render", json=RENDER))
            await begun.wait()
            asyncio.get_running_loop().call_later(0.3, go.set)
        assert (await asking).json()["message"] == "done"


@pytest.mark.slow
async def test_what_takes_longer_than_the_end_is_told_so():
    begun = asyncio.Event()

    async def wait(request, context):
        begun.set()
        await asyncio.Event().wait()

    async with renderer(wait) as address, httpx.AsyncClient() as client:
        async with served({"render-latex": address}, drain_seconds=0.1) as url:
            asking = asyncio.create_task(client.post(f"{url}/v1/render", json=RENDER))
            await begun.wait()
        answer = await asking
    assert (answer.status_code, answer.json()["error"]["message"]) == (503, "the gateway is ending")
