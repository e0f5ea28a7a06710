"""A replica whose address vanishes without a word, as of a pod deleted by force: the other one answers."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

import grpc.aio
import pytest

from i2s.render.v1 import render_pb2 as pb
from i2s.render.v1.render_pb2_grpc import RenderServiceServicer, add_RenderServiceServicer_to_server
from i2s_client import AsyncRenderClient, connection
from i2s_wire.render.rendering import Verdict
from i2s_wire.render.request import LatexSource, RenderRequest

pytestmark = pytest.mark.integration

_PING = b"\x00\x00\x08\x06\x00"  # the head of a PING frame that is no answer
_PINGS = 6  # more than gRPC sends by default during one call


class _Replica(RenderServiceServicer):
    """Answers at once, or never."""

    def __init__(self, *, answers: bool) -> None:
        self.answers, self.asked = answers, asyncio.Event()

    async def Render(self, request: pb.RenderRequest, context: grpc.aio.ServicerContext) -> pb.RenderResponse:  # noqa: N802
        self.asked.set()
        if not self.answers:
            await asyncio.Event().wait()
        return pb.RenderResponse(id=request.id, verdict=pb.VERDICT_NO_OUTPUT)


class _Relay:
    """Forwards the bytes of connections, until it is told to drop them without closing anything."""

    def __init__(self, target: int) -> None:
        self._target, self._drops = target, False
        self.pinged = asyncio.Event()
        self._pings = 0

    def vanish(self) -> None:
        self._drops = True

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._drops:
            with contextlib.suppress(OSError):
                await reader.read()
            return
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._target)
        await asyncio.gather(self._pump(reader, far_writer), self._pump(far_reader, writer))

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while chunk := await reader.read(65_536):
                self._pings += chunk.count(_PING)
                if self._pings >= _PINGS:
                    self.pinged.set()
                if not self._drops:
                    writer.write(chunk)
                    await writer.drain()
        if not self._drops:
            writer.close()


async def _serve(stack: contextlib.AsyncExitStack, replica: _Replica) -> int:
    permits_pings = [("grpc.http2.min_ping_interval_without_data_ms", 10), ("grpc.http2.max_ping_strikes", 0)]
    server = grpc.aio.server(options=permits_pings)
    add_RenderServiceServicer_to_server(replica, server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    stack.push_async_callback(server.stop, None)
    return port


@pytest.fixture
async def stack() -> AsyncIterator[contextlib.AsyncExitStack]:
    async with contextlib.AsyncExitStack() as stack:
        yield stack


async def test_a_call_at_an_address_that_vanishes_is_answered_by_the_other_replica(
    stack: contextlib.AsyncExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The times are shortened; what they are otherwise, tests/unit/client/test_channel.py has."""
    monkeypatch.setattr(connection, "_PING_AFTER_MS", 200)
    monkeypatch.setattr(connection, "_PING_FOR_MS", 1000)
    silent, other = _Replica(answers=False), _Replica(answers=True)
    relay = _Relay(await _serve(stack, silent))
    relayed = await stack.enter_async_context(await asyncio.start_server(relay.connected, "127.0.0.1", 0))
    addresses = (relayed.sockets[0].getsockname()[1], await _serve(stack, other))
    name = "ipv4:" + ",".join(f"127.0.0.1:{port}" for port in addresses)
    async with AsyncRenderClient(name) as client, asyncio.timeout(60):
        calls = []
        while not silent.asked.is_set():  # calls go round robin over the replicas that are connected
            request = RenderRequest(LatexSource(b"x", {}), id=f"call-{len(calls)}")
            calls.append(asyncio.create_task(client.render(request)))
            await asyncio.sleep(0.05)
        await relay.pinged.wait()  # the call is as old as one of a slow job
        relay.vanish()
        answers = await asyncio.gather(*calls)
    assert [answer.verdict for answer in answers] == [Verdict.NO_OUTPUT] * len(calls)
