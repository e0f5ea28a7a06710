"""The health check of the image of the gateway, against a gateway itself."""

from __future__ import annotations

import asyncio
import re
import socket
import sys
from pathlib import Path

import pytest

from served_gateway import served

IMAGES = Path(__file__).resolve().parents[3] / "deploy" / "images"


async def check(address: str) -> tuple[int | None, str]:
    """Run the check as an image does: without site packages, so with the standard library alone."""
    command = [sys.executable, "-I", "-S", str(IMAGES / "live.py"), address]
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    told, _ = await process.communicate()
    return process.returncode, told.decode().strip()


def free_address() -> str:
    with socket.create_server(("127.0.0.1", 0)) as held:
        return f"127.0.0.1:{held.getsockname()[1]}"


async def test_a_gateway_without_any_service_is_live_at_both_addresses() -> None:
    address = free_address()
    async with served({"render-latex": "127.0.0.1:1"}, metrics_listen=address) as url:
        assert await check(address) == (0, "SERVING")
        assert await check(url.removeprefix("http://")) == (0, "SERVING")


async def test_an_address_where_nothing_listens_is_not_live() -> None:
    assert await check(free_address()) == (1, "UNAVAILABLE")


@pytest.mark.parametrize("answer", [b"HTTP/1.1 503 Service Unavailable\r\n\r\n", b"nothing of HTTP", b""])
async def test_another_answer_is_not_live(answer: bytes) -> None:
    async def answers(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        writer.close()

    async with await asyncio.start_server(answers, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        assert await check(f"127.0.0.1:{port}") == (1, "UNAVAILABLE")


def test_the_image_asks_where_its_metrics_are() -> None:
    recipe = (IMAGES / "gateway.Dockerfile").read_text()
    assert "I2S_HTTP_METRICS_LISTEN=0.0.0.0:9090" in recipe
    (line,) = re.findall(r"^HEALTHCHECK .* \\\n +CMD (.*)$", recipe, re.MULTILINE)
    assert line == '["python", "-I", "-S", "/opt/i2s/live.py", "127.0.0.1:9090"]'
