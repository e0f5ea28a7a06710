"""A name with several addresses, asked of a real name server: what a headless Service is to its clients."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from ipaddress import IPv4Address

import grpc.aio
import pytest

from i2s.render.v1.render_pb2_grpc import add_RenderServiceServicer_to_server
from i2s_client import AsyncRenderClient

pytestmark = pytest.mark.integration

_ADDRESS_RECORD, _INTERNET = 1, 1


@dataclass
class NameServer(asyncio.DatagramProtocol):
    """Answers every question of an IPv4 address with all that there are; other kinds with none."""

    addresses: list[str] = field(default_factory=list)
    asked: int = 0

    def connection_made(self, transport: asyncio.DatagramTransport) -> None:  # type: ignore[override]
        self.transport = transport

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        end = data.index(b"\0", 12) + 5  # after the name, its type and its class
        kind = struct.unpack_from("!H", data, end - 4)[0]
        found = self.addresses if kind == _ADDRESS_RECORD else []
        self.asked += kind == _ADDRESS_RECORD
        header = data[:2] + struct.pack("!HHHHH", 0x8180, 1, len(found), 0, 0)
        record = struct.pack("!HHHIH", 0xC00C, _ADDRESS_RECORD, _INTERNET, 0, 4)  # 0xC00C: the name asked for
        answers = b"".join(record + IPv4Address(one).packed for one in found)
        self.transport.sendto(header + data[12:end] + answers, addr)


@asynccontextmanager
async def name_server(*addresses: str) -> AsyncIterator[tuple[NameServer, str]]:
    """Run one; gives what a target that asks it begins with."""
    loop = asyncio.get_running_loop()
    server = NameServer(list(addresses))
    transport, _ = await loop.create_datagram_endpoint(lambda: server, ("127.0.0.1", 0))
    try:
        yield server, f"dns://127.0.0.1:{transport.get_extra_info('sockname')[1]}"
    finally:
        transport.close()


@asynccontextmanager
async def replica(servicer, address: str, *options: tuple[str, int]) -> AsyncIterator[int]:
    server = grpc.aio.server(options=options)
    add_RenderServiceServicer_to_server(servicer, server)
    port = server.add_insecure_port(address)
    await server.start()
    try:
        yield port
    finally:
        await server.stop(None)


async def test_calls_go_to_every_address_of_a_name(scripted, steps) -> None:
    _, answer = steps
    first, second = scripted(answer()), scripted(answer())
    async with (
        name_server("127.0.0.1", "127.0.0.2") as (_, names),
        replica(first, "127.0.0.1:0") as port,
        replica(second, f"127.0.0.2:{port}"),
        AsyncRenderClient(f"{names}/render-latex.test:{port}") as client,
    ):
        async with asyncio.timeout(30):
            while not (first.requests and second.requests):  # until both are connected
                await client.render_latex("x")
        before = len(first.requests), len(second.requests)
        for _ in range(20):
            await client.render_latex("x")
    assert (len(first.requests) - before[0], len(second.requests) - before[1]) == (10, 10)


async def test_a_new_replica_is_found_when_a_connection_has_grown_old(scripted, steps) -> None:
    _, answer = steps
    old, new = scripted(answer()), scripted(answer())
    age = ("grpc.max_connection_age_ms", 1000)
    async with (
        name_server("127.0.0.1") as (names_known, names),
        replica(old, "127.0.0.1:0", age) as port,
        replica(new, f"127.0.0.2:{port}", age),
        AsyncRenderClient(f"{names}/render-latex.test:{port}") as client,
    ):
        await client.render_latex("x")
        assert not new.requests
        names_known.addresses.append("127.0.0.2")
        async with asyncio.timeout(60):
            while not new.requests:
                await client.render_latex("x")
                await asyncio.sleep(0.01)
    assert names_known.asked >= 2
