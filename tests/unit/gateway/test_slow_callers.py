"""Callers that are slow on purpose, or hold connections: each ends, and others are answered meanwhile."""

import asyncio

import httpx
import pytest

from i2s.render.v1 import render_pb2 as pb
from i2s_gateway import serve
from served_gateway import echo, renderer, served

HEAD = (
    b"POST /v1/render HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    b"Content-Length: %d\r\n\r\n"
)
BODY = b'{"latex": {"document_text": "x"}}'


async def connect(url):
    found = httpx.URL(url)
    return await asyncio.open_connection(found.host, found.port)


@pytest.mark.parametrize("sent", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: localhost\r\nX-A: b\r\n"])
async def test_a_header_that_does_not_arrive_ends_the_connection(sent):
    async with served({}, header_seconds=0.1) as url:
        reader, writer = await connect(url)
        writer.write(sent)
        assert await reader.read() == b""
        writer.close()


async def test_a_header_in_drops_does_not_buy_time():
    async with served({}, header_seconds=0.3) as url:
        reader, writer = await connect(url)
        ended = asyncio.create_task(reader.read())
        writer.write(b"GET / HTTP/1.1\r\n")
        while not ended.done():
            writer.write(b"X-A: b\r\n")
            await asyncio.wait({ended}, timeout=0.02)
        assert ended.exception() is not None or ended.result() == b""
        writer.close()


async def test_the_second_request_of_a_connection_is_bounded_too():
    async with served({}, header_seconds=0.3) as url:
        reader, writer = await connect(url)
        writer.write(b"GET /v1/services HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert b" 200 " in await reader.readline()
        assert await reader.readuntil(b'"services": []}')
        writer.write(b"GET / HT")
        assert await reader.read() == b""
        writer.close()


async def test_a_body_that_does_not_arrive_is_refused():
    async with renderer(echo) as address, served({"render-latex": address}, body_seconds=0.1) as url:
        reader, writer = await connect(url)
        writer.write(HEAD % len(BODY) + BODY[:5])
        assert b" 408 " in await reader.readline()
        writer.close()


async def test_a_refused_body_is_not_read_for_ever(monkeypatch):
    monkeypatch.setattr(serve, "_LINGER_SECONDS", 0.1)
    async with served({}, body_bytes=10) as url:
        reader, writer = await connect(url)
        writer.write(HEAD % 1_000_000)
        ended = asyncio.create_task(reader.read())
        while not ended.done():
            writer.write(b" ")
            await asyncio.wait({ended}, timeout=0.02)
        assert ended.exception() is not None or b" 413 " in ended.result()
        writer.close()


async def test_an_answer_that_nobody_reads_is_dropped():
    size = 40_000_000

    begun = asyncio.Event()

    async def much(request, context):
        begun.set()
        return pb.RenderResponse(message="x" * size)

    chosen = {"body_seconds": 0.2, "connections": 1}
    async with renderer(much) as address, served({"render-latex": address}, **chosen) as url:
        reader, writer = await connect(url)
        reader._transport.pause_reading()
        writer.write(HEAD % len(BODY) + BODY)
        await begun.wait()
        async with httpx.AsyncClient(base_url=url) as client:
            while (await client.get("/v1/services")).status_code != 200:  # no connection is free
                await asyncio.sleep(0.05)
        reader._transport.resume_reading()
        read = 0
        try:
            while piece := await reader.read(1 << 20):
                read += len(piece)
        except ConnectionResetError:
            pass
        assert read < size
        writer.close()


async def test_every_connection_too_many_reads_that_there_are_too_many():
    async with served({}, connections_each=1) as url:
        _, held = await connect(url)
        while await status(url) == 200:  # the first has not been accepted yet
            pass

        async def ask():
            reader, writer = await connect(url)
            writer.write(HEAD % 100_000 + b" " * 100_000)
            line = await reader.readline()
            writer.close()
            return line

        assert {line[8:13] for line in await asyncio.gather(*(ask() for _ in range(40)))} == {b" 503 "}
        held.close()


async def status(url):
    """Ask by a connection of its own."""
    async with httpx.AsyncClient(base_url=url) as client:
        return (await client.get("/v1/services")).status_code


@pytest.mark.parametrize("chosen", [{"connections": 2}, {"connections_each": 2}])
async def test_connections_are_bounded_and_come_back(chosen):
    async with served({}, header_seconds=600.0, **chosen) as url:
        held = [await connect(url) for _ in range(2)]
        while await status(url) == 200:  # the others have not been accepted yet
            pass
        assert await status(url) == 503
        for _, writer in held:
            writer.close()
        while await status(url) == 503:
            pass
        assert await status(url) == 200
