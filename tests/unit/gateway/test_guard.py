"""The bounds of bodies, to the byte."""

from __future__ import annotations

from collections.abc import MutableMapping
from contextlib import AsyncExitStack
from typing import Any

import pytest
from starlette.requests import Request

from i2s_gateway.guard import Bodies, GatewayError
from i2s_gateway.settings import GatewaySettings


def request(*pieces: bytes, announced: int | None = None) -> Request:
    """Return a request of JSON whose body arrives in pieces."""
    headers = [(b"content-type", b"application/json")]
    if announced is not None:
        headers.append((b"content-length", str(announced).encode()))
    messages: list[MutableMapping[str, Any]] = [
        {"type": "http.request", "body": piece, "more_body": number < len(pieces)}
        for number, piece in enumerate(pieces, 1)
    ]

    async def receive() -> MutableMapping[str, Any]:
        return messages.pop(0)

    return Request({"type": "http", "headers": headers}, receive)


def bodies() -> Bodies:
    return Bodies(GatewaySettings(body_bytes=10, bodies_bytes=20))


@pytest.mark.parametrize("pieces", [(b"x" * 10,), (b"x" * 5, b"x" * 5)])
async def test_a_body_as_large_as_allowed_is_read(pieces: tuple[bytes, ...]) -> None:
    async with bodies().body(request(*pieces, announced=10)) as body:
        assert body == b"x" * 10


@pytest.mark.parametrize(
    ("pieces", "announced"), [((b"x" * 11,), None), ((b"x" * 5, b"x" * 6), None), ((b"x",), 11)]
)
async def test_a_body_one_byte_larger_is_refused(pieces: tuple[bytes, ...], announced: int | None) -> None:
    with pytest.raises(GatewayError) as refused:
        async with bodies().body(request(*pieces, announced=announced)):
            pass
    assert refused.value.status == "RESOURCE_EXHAUSTED"


async def test_bodies_take_all_memory_for_them_and_not_a_byte_more_until_one_ends() -> None:
    read = bodies()
    async with AsyncExitStack() as others:
        await others.enter_async_context(read.body(request(b"x" * 10)))
        async with read.body(request(b"x" * 10)):
            with pytest.raises(GatewayError) as refused:
                async with read.body(request(b"x")):
                    pass
            assert refused.value.status == "UNAVAILABLE"
        async with read.body(request(b"x" * 10)):
            pass


async def test_what_a_refused_body_has_taken_comes_back() -> None:
    read = bodies()
    for _ in range(3):
        with pytest.raises(GatewayError):
            async with read.body(request(b"x" * 10, b"x")):
                pass
    async with read.body(request(b"x" * 10)), read.body(request(b"x" * 10)):
        pass
