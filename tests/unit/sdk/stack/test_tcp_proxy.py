"""The proxy forwards bytes both ways, to one replica after the other."""

import asyncio

import pytest

from i2s_sdk.stack import tcp_proxy


async def echo(reader, writer, mark):
    writer.write(mark + await reader.read())
    writer.write_eof()
    writer.close()


@pytest.fixture
async def service():
    server = await asyncio.start_server(lambda r, w: echo(r, w, b"told: "), "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


@pytest.fixture
async def port(service):
    with_port = await asyncio.start_server(lambda r, w: None, "127.0.0.1", 0)
    free = with_port.sockets[0].getsockname()[1]
    with_port.close()
    await with_port.wait_closed()
    task = asyncio.create_task(tcp_proxy.forward(free, "127.0.0.1", service))
    yield free
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def connect(port):
    async with asyncio.timeout(60):
        while True:
            try:
                return await asyncio.open_connection("127.0.0.1", port)
            except ConnectionRefusedError:
                await asyncio.sleep(0.01)


async def test_bytes_are_carried_both_ways_with_the_ends_of_both(port):
    reader, writer = await connect(port)
    sent = bytes(range(256)) * 4096
    writer.write(sent)
    writer.write_eof()
    assert await reader.read() == b"told: " + sent
    writer.close()


async def test_a_service_that_is_gone_ends_the_connection():
    reached = await asyncio.start_server(lambda r, w: None, "127.0.0.1", 0)
    gone = reached.sockets[0].getsockname()[1]
    reached.close()
    await reached.wait_closed()
    with pytest.raises(OSError, match="Connect call failed"):
        await tcp_proxy._connect("127.0.0.1", gone, 0)
