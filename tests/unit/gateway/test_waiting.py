"""Requests that find no replica, lose it, or come to a full queue: they wait, and not for ever."""

import asyncio
import contextlib
import socket

import grpc
import httpx
import pytest

from i2s.render.v1 import render_pb2 as pb
from served_gateway import echo, renderer, served

RENDER = {"latex": {"document_text": "x"}}
NOWHERE = "127.0.0.1:1"


@contextlib.asynccontextmanager
async def gateway(address, **chosen):
    async with (
        served({"render-latex": address}, **chosen) as url,
        httpx.AsyncClient(base_url=url, timeout=120) as client,
    ):
        yield client


def failing(times, code, *metadata):
    """An answer that fails some times before it is given; and the names of the calls so far."""
    names = []

    async def answer(request, context):
        names.extend(value for name, value in context.invocation_metadata() if name == "x-request-id")
        if len(names) <= times:
            context.set_trailing_metadata(metadata)
            await context.abort(code, "not now")
        return pb.RenderResponse(message="at last")

    return answer, names


def free_address():
    with socket.create_server(("127.0.0.1", 0)) as held:
        return f"127.0.0.1:{held.getsockname()[1]}"


async def test_a_replica_that_went_away_costs_time_and_no_answer():
    answer, names = failing(7, grpc.StatusCode.UNAVAILABLE)
    async with renderer(answer) as address, gateway(address) as client:
        got = await client.post("/v1/render", json=RENDER, headers={"X-Request-ID": "mine"})
    assert (got.status_code, got.json()["message"]) == (200, "at last")
    assert set(names) == {"mine"}


async def test_a_service_that_is_not_there_yet_is_waited_for():
    address = free_address()
    async with gateway(address) as client:
        asking = asyncio.create_task(client.post("/v1/render", json=RENDER))
        while (await client.get("/v1/health")).json()["services"] != {"render-latex": "UNREACHABLE"}:
            pass
        async with renderer(echo, address):
            got = await asking
    assert got.json()["message"] == "x"


async def test_a_full_queue_is_waited_for_as_long_as_it_says():
    answer, names = failing(2, grpc.StatusCode.RESOURCE_EXHAUSTED, ("grpc-retry-pushback-ms", "20"))
    async with renderer(answer) as address, gateway(address) as client:
        got = await client.post("/v1/render", json=RENDER)
    assert (got.status_code, len(names)) == (200, 3)


@pytest.mark.parametrize("seconds", [0.0, 0.3])
async def test_a_service_that_does_not_come_is_unavailable_and_says_when_to_ask_again(seconds):
    async with gateway(NOWHERE, wait_seconds=seconds) as client:
        got = await client.post("/v1/render", json=RENDER)
    assert (got.status_code, got.json()["error"]["status"]) == (503, "UNAVAILABLE")
    assert (got.headers["Retry-After"], got.json()["error"]["retry_after_seconds"]) == ("5", 5.0)


async def test_a_queue_that_stays_full_says_when_to_ask_again():
    answer, _ = failing(1_000_000, grpc.StatusCode.RESOURCE_EXHAUSTED, ("grpc-retry-pushback-ms", "1500"))
    async with renderer(answer) as address, gateway(address, wait_seconds=1.0) as client:
        got = await client.post("/v1/render", json=RENDER)
    assert (got.status_code, got.headers["Retry-After"]) == (429, "2")


async def test_who_asks_what_a_service_is_learns_at_once_that_it_is_away():
    async with gateway(NOWHERE) as client:
        got = await client.get("/v1/services/render-latex", timeout=5)
    assert (got.status_code, got.headers["Retry-After"]) == (503, "5")


async def test_no_wait_goes_beyond_the_deadline():
    async with gateway(NOWHERE, deadline=0.3) as client:
        got = await client.post("/v1/render", json=RENDER)
    assert got.status_code == 503


async def test_who_waited_until_the_deadline_learns_what_for():
    calls = []

    async def answer(request, context):
        calls.append(request)
        if len(calls) <= 3:  # as often as gRPC itself makes one attempt of the gateway
            await context.abort(grpc.StatusCode.UNAVAILABLE, "it is starting")
        await asyncio.Event().wait()

    async with renderer(answer) as address, gateway(address, deadline=3.0) as client:
        got = await client.post("/v1/render", json=RENDER)
    assert (got.status_code, got.json()["error"]["message"]) == (503, "it is starting")


@pytest.mark.parametrize(
    "code", [grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.INTERNAL, grpc.StatusCode.ABORTED]
)
async def test_what_would_end_the_same_is_not_tried_again(code):
    answer, names = failing(1_000_000, code)
    async with renderer(answer) as address, gateway(address) as client:
        got = await client.post("/v1/render", json=RENDER)
    assert got.json()["error"]["status"] == code.name
    assert len(names) == 1


async def test_half_of_the_connections_stay_for_requests_that_need_not_wait():
    async with (
        renderer(echo) as address,
        served({"render-latex": address, "render-html": NOWHERE}, connections=4) as url,
        httpx.AsyncClient(base_url=url, timeout=120) as client,
    ):
        asking = {asyncio.create_task(client.post("/v1/render", json={"site": {}})) for _ in range(3)}
        done, waiting = await asyncio.wait(asking, return_when=asyncio.FIRST_COMPLETED)
        (sent_away,) = done
        assert (sent_away.result().status_code, len(waiting)) == (503, 2)
        assert (await client.post("/v1/render", json=RENDER)).status_code == 200
        for one in waiting:
            one.cancel()


async def test_a_caller_who_goes_away_makes_room_for_another():
    async with gateway(NOWHERE, connections=2) as client:  # so that one request may wait
        asking = {asyncio.create_task(client.post("/v1/render", json=RENDER)) for _ in range(2)}
        done, (waiting,) = await asyncio.wait(asking, return_when=asyncio.FIRST_COMPLETED)
        assert done.pop().result().status_code == 503
        waiting.cancel()
        waits = False
        while not waits:  # until the gateway has seen that the caller is gone
            again = asyncio.create_task(client.post("/v1/render", json=RENDER))
            waits = not (await asyncio.wait({again}, timeout=0.5))[0]
        again.cancel()
