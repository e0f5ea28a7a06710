"""What is tried again, when, and for how long."""

from __future__ import annotations

import asyncio
import time

import grpc
import grpc.aio
import pytest

from i2s.render.v1 import render_pb2 as pb
from i2s_client import AsyncRenderClient, RenderClient, RetryPolicy
from i2s_sdk.errors import (
    AccessError,
    DeadlineError,
    OverloadedError,
    RequestRefusedError,
    ServiceFaultError,
    ServiceUnavailableError,
)
from i2s_wire.render.rendering import Verdict

pytestmark = pytest.mark.integration

PATIENCE = 60
QUICK = RetryPolicy(total_seconds=10.0, first_pause=0.01, longest_pause=0.05)


async def test_unavailable_twice_then_answered(serve, scripted, steps) -> None:
    status, answer = steps
    renderer = scripted(*[status(grpc.StatusCode.UNAVAILABLE)] * 2, answer())
    async with AsyncRenderClient(await serve(renderer), retry=QUICK) as client:
        rendering = await client.render_latex("x")
    assert rendering.verdict is Verdict.NO_OUTPUT
    assert len(renderer.requests) == 3


async def test_full_queue_is_asked_again_no_sooner_than_it_wants(serve, scripted, steps) -> None:
    status, answer = steps
    full = status(grpc.StatusCode.RESOURCE_EXHAUSTED, "full", grpc_retry_pushback_ms="150")
    renderer = scripted(full, answer())
    async with AsyncRenderClient(await serve(renderer), retry=QUICK) as client:
        started = time.monotonic()
        await client.render_latex("x")
    assert time.monotonic() - started >= 0.15
    assert len(renderer.requests) == 2


@pytest.mark.parametrize(
    ("code", "error"),
    [
        (grpc.StatusCode.RESOURCE_EXHAUSTED, OverloadedError),  # no pushback: the message is too large
        (grpc.StatusCode.INVALID_ARGUMENT, RequestRefusedError),
        (grpc.StatusCode.UNIMPLEMENTED, RequestRefusedError),
        (grpc.StatusCode.PERMISSION_DENIED, AccessError),
        (grpc.StatusCode.DEADLINE_EXCEEDED, DeadlineError),
        (grpc.StatusCode.INTERNAL, ServiceFaultError),
        (grpc.StatusCode.UNKNOWN, ServiceFaultError),
    ],
)
async def test_other_statuses_are_told_at_once(code, error, serve, scripted, steps) -> None:
    status, _ = steps
    renderer = scripted(status(code, "because of this"))
    address = await serve(renderer)
    async with AsyncRenderClient(address, retry=QUICK) as client:
        with pytest.raises(error, match="because of this") as raised:
            await client.render_latex("x")
    assert len(renderer.requests) == 1
    assert raised.value.address == address
    assert raised.value.status == code.name
    assert raised.value.attempts == 1


@pytest.mark.parametrize("pushback", ["-1", "soon", ""])
async def test_a_pushback_that_is_no_time_means_do_not_come_back(pushback, serve, scripted, steps) -> None:
    status, _ = steps
    full = status(grpc.StatusCode.RESOURCE_EXHAUSTED, "full", grpc_retry_pushback_ms=pushback)
    renderer = scripted(full)
    async with AsyncRenderClient(await serve(renderer), retry=QUICK) as client:
        with pytest.raises(OverloadedError):
            await client.render_latex("x")
    assert len(renderer.requests) == 1


async def test_all_attempts_together_have_a_bound(serve, scripted, steps) -> None:
    status, _ = steps
    renderer = scripted(status(grpc.StatusCode.UNAVAILABLE, "draining"))
    policy = RetryPolicy(total_seconds=3.0, first_pause=0.02, longest_pause=0.05)
    async with AsyncRenderClient(await serve(renderer), retry=policy) as client:
        with pytest.raises(ServiceUnavailableError, match="draining") as raised:
            async with asyncio.timeout(PATIENCE):
                await client.render_latex("x")
    # gRPC makes more attempts within each of ours.
    assert 2 < raised.value.attempts < len(renderer.requests) <= 3 * raised.value.attempts


async def test_a_call_that_hangs_ends_at_its_deadline(serve, scripted) -> None:
    async def hang(request: pb.RenderRequest, context: grpc.aio.ServicerContext) -> pb.RenderResponse:
        await asyncio.Event().wait()
        raise AssertionError

    renderer = scripted(hang)
    async with AsyncRenderClient(await serve(renderer), deadline=0.2, retry=QUICK) as client:
        started = time.monotonic()
        with pytest.raises(DeadlineError):
            async with asyncio.timeout(PATIENCE):
                await client.render_latex("x")
    assert time.monotonic() - started > 0.15
    assert len(renderer.requests) == 1


async def test_no_attempt_outlasts_the_bound_of_all(serve, scripted) -> None:
    async def hang(request: pb.RenderRequest, context: grpc.aio.ServicerContext) -> pb.RenderResponse:
        await asyncio.Event().wait()
        raise AssertionError

    policy = RetryPolicy(total_seconds=0.2)
    async with AsyncRenderClient(await serve(scripted(hang)), deadline=3600.0, retry=policy) as client:
        with pytest.raises(DeadlineError):
            async with asyncio.timeout(PATIENCE):
                await client.render_latex("x")


async def test_a_dropped_connection_is_tried_again() -> None:
    connections = 0

    async def drop(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        writer.close()

    policy = RetryPolicy(total_seconds=1.0, first_pause=0.05, longest_pause=0.2)
    async with await asyncio.start_server(drop, "127.0.0.1", 0) as server:
        address = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        async with AsyncRenderClient(address, retry=policy) as client:
            with pytest.raises(ServiceUnavailableError, match=address) as raised:
                await client.render_latex("x")
    assert raised.value.attempts > 1
    assert connections > 1


async def test_a_server_that_comes_back_is_found_again(serve, scripted, steps) -> None:
    _, answer = steps
    stopping: list[grpc.aio.Server] = []

    async def leave(request: pb.RenderRequest, context: grpc.aio.ServicerContext) -> pb.RenderResponse:
        stopping.append(server)
        await asyncio.Event().wait()
        raise AssertionError

    from i2s.render.v1.render_pb2_grpc import add_RenderServiceServicer_to_server

    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    add_RenderServiceServicer_to_server(scripted(leave), server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    async with AsyncRenderClient(f"127.0.0.1:{port}", retry=QUICK) as client:
        call = asyncio.create_task(client.render_latex("x"))
        while not stopping:
            await asyncio.sleep(0.005)
        await server.stop(None)
        second = scripted(answer())
        await serve(second, f"127.0.0.1:{port}")
        assert (await call).verdict is Verdict.NO_OUTPUT
    assert len(second.requests) == 1


async def test_the_plain_client_retries_alike(serve, scripted, steps) -> None:
    status, answer = steps
    full = status(grpc.StatusCode.RESOURCE_EXHAUSTED, "full", grpc_retry_pushback_ms="100")
    renderer = scripted(status(grpc.StatusCode.UNAVAILABLE), full, answer())
    address = await serve(renderer)

    def call() -> Verdict:
        with RenderClient(address, retry=QUICK) as client:
            return client.render_latex("x").verdict

    assert await asyncio.to_thread(call) is Verdict.NO_OUTPUT
    assert len(renderer.requests) == 3


async def test_the_plain_client_tells_a_refusal_at_once(serve, scripted, steps) -> None:
    status, _ = steps
    renderer = scripted(status(grpc.StatusCode.INVALID_ARGUMENT, "options.page.dpi: 0 is not above 0"))
    address = await serve(renderer)

    def call() -> None:
        with RenderClient(address, retry=QUICK) as client:
            client.render_latex("x")

    with pytest.raises(RequestRefusedError, match=r"options\.page\.dpi"):
        await asyncio.to_thread(call)
    assert len(renderer.requests) == 1


async def test_cancelling_ends_the_call_and_its_retries(serve, scripted, steps) -> None:
    status, _ = steps
    renderer = scripted(status(grpc.StatusCode.UNAVAILABLE))
    policy = RetryPolicy(first_pause=30.0, longest_pause=30.0)
    async with AsyncRenderClient(await serve(renderer), retry=policy) as client:
        call = asyncio.create_task(client.render_latex("x"))
        while not renderer.requests:
            await asyncio.sleep(0.005)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
    assert len(renderer.requests) <= 3  # those of gRPC; the policy would have waited
