"""The bounds of bodies, to the byte, and the statuses of HTTP for those of calls."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import MutableMapping
from contextlib import AsyncExitStack
from typing import Any

import grpc
import grpc.aio
import pytest
from starlette.requests import Request

from i2s_gateway import guard
from i2s_gateway.guard import MAX_VALUES, Bodies, GatewayError, of_call, read_body
from i2s_gateway.settings import GatewaySettings


def request(
    *pieces: bytes, announced: int | None = None, address: str = "192.0.2.1", token: str = ""
) -> Request:
    """Return a request of JSON whose body arrives in pieces."""
    headers = [(b"content-type", b"application/json")]
    if token:
        headers.append((b"authorization", token.encode()))
    if announced is not None:
        headers.append((b"content-length", str(announced).encode()))
    messages: list[MutableMapping[str, Any]] = [
        {"type": "http.request", "body": piece, "more_body": number < len(pieces)}
        for number, piece in enumerate(pieces, 1)
    ]

    async def receive() -> MutableMapping[str, Any]:
        return messages.pop(0) if messages else {"type": "http.disconnect"}

    return Request({"type": "http", "headers": headers, "client": (address, 1)}, receive)


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
        async with read.body(request(b"x" * 10, address="192.0.2.2")):
            with pytest.raises(GatewayError) as refused:
                async with read.body(request(b"x", address="192.0.2.3")):
                    pass
            assert refused.value.status == "UNAVAILABLE"
        async with read.body(request(b"x" * 10, address="192.0.2.2")):
            pass


async def test_a_caller_gets_no_more_than_is_left_for_others() -> None:
    read = Bodies(GatewaySettings(body_bytes=100, bodies_bytes=240))
    async with AsyncExitStack() as held:
        await held.enter_async_context(read.body(request(b"x" * 100)))
        with pytest.raises(GatewayError):
            await held.enter_async_context(read.body(request(b"x" * 100)))
        # By another token of the same address: no more than twice what is left, however many tokens.
        await held.enter_async_context(read.body(request(b"x" * 60, token="Bearer b")))
        for number in range(9):
            with pytest.raises(GatewayError):
                await held.enter_async_context(read.body(request(b"x" * 40, token=f"Bearer {number}")))
        await held.enter_async_context(read.body(request(b"x" * 40, address="192.0.2.2")))


def endless(piece: bytes, pieces: float = math.inf) -> Request:
    """Return a request whose body never ends, and stalls after so many pieces."""
    sent = 0

    async def receive() -> MutableMapping[str, Any]:
        nonlocal sent
        sent += 1
        if sent > pieces:
            return await asyncio.get_running_loop().create_future()  # type: ignore[no-any-return]
        await asyncio.sleep(0)
        return {"type": "http.request", "body": piece, "more_body": True}

    headers = [(b"content-type", b"application/json")]
    return Request({"type": "http", "headers": headers, "client": None}, receive)


@pytest.mark.parametrize(
    ("slow", "seconds"), [(endless(b"", 0), 3600.0), (endless(b"x" * 1000, 1), 3600.0), (endless(b"x"), 0.05)]
)
async def test_a_body_ends_by_its_rate_or_its_time(
    slow: Request, seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "_RATE_SECONDS", 0.05)
    read = Bodies(GatewaySettings(body_rate=100, body_seconds=seconds))
    with pytest.raises(GatewayError) as refused:
        async with read.body(slow):
            pass
    assert refused.value.http == 408


async def test_a_body_that_is_refused_holds_nothing_while_its_rest_is_discarded() -> None:
    read = Bodies(GatewaySettings(body_bytes=10, bodies_bytes=20))
    discarding, gone = asyncio.Event(), asyncio.Event()

    async def receive() -> MutableMapping[str, Any]:
        if not discarding.is_set():
            if receive_sizes:
                return {"type": "http.request", "body": b"x" * receive_sizes.pop(), "more_body": True}
            discarding.set()
            await gone.wait()
        return {"type": "http.disconnect"}

    receive_sizes = [5, 10]
    headers = [(b"content-type", b"application/json")]
    refused = Request({"type": "http", "headers": headers, "client": ("192.0.2.1", 1)}, receive)

    async def send() -> None:
        with pytest.raises(GatewayError):
            async with read.body(refused):
                pass

    sending = asyncio.create_task(send())
    await discarding.wait()
    async with read.body(request(b"x" * 10)), read.body(request(b"x" * 10, address="192.0.2.2")):
        pass
    gone.set()
    await sending


async def test_what_a_refused_body_has_taken_comes_back() -> None:
    read = bodies()
    for _ in range(3):
        with pytest.raises(GatewayError):
            async with read.body(request(b"x" * 10, b"x")):
                pass
    async with read.body(request(b"x" * 10)), read.body(request(b"x" * 10, address="192.0.2.2")):
        pass


def test_a_job_that_was_killed_each_time_is_a_fault_of_the_service() -> None:
    none = grpc.aio.Metadata()
    error = of_call(grpc.aio.AioRpcError(grpc.StatusCode.ABORTED, none, none, details="killed"))
    assert (error.http, error.status, error.retry_after_seconds) == (500, "ABORTED", None)


@pytest.mark.parametrize("one", ["[],", "{},", '{"a":1},', "1,"])
def test_a_body_of_more_values_than_are_read_is_refused_before_it_is_parsed(
    one: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("i2s_gateway.guard.read_json", lambda _: pytest.fail("it was parsed"))
    raw = f"[{one * MAX_VALUES}1]".encode()
    with pytest.raises(GatewayError) as refused:
        read_body(raw)
    assert (refused.value.http, str(MAX_VALUES) in refused.value.message) == (413, True)


def test_what_texts_have_in_them_counts_for_nothing() -> None:
    text = '[{,"' + "[{," * MAX_VALUES
    assert read_body(json.dumps({"completion": text}).encode()) == {"completion": text}
    assert len(read_body(f"[{'[],' * (MAX_VALUES // 4)}1]".encode())) == MAX_VALUES // 4 + 1


def test_a_text_without_end_is_looked_at_once() -> None:
    with pytest.raises(GatewayError) as refused:
        read_body(b'[","' + rb"\"," * MAX_VALUES)
    assert refused.value.http in (400, 413)
