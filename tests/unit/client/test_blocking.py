"""Clients for plain code: their calls run on another thread, and end with their caller."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import AsyncGenerator

import pytest

from i2s_client.blocking import BlockingClient, blocking, blocking_stream
from i2s_client.connection import AsyncConnection


class AsyncCounter(AsyncConnection):
    """A client whose calls need no service."""

    wire_name = "counter"

    def __init__(self, *args: object, **more: object) -> None:
        super().__init__("127.0.0.1:1")
        self.begun, self.cancelled, self.closed = threading.Event(), threading.Event(), threading.Event()

    async def thread(self) -> int:
        return threading.get_ident()

    async def wait(self) -> None:
        self.begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled.set()
            raise

    async def count(self, most: int) -> AsyncGenerator[int, None]:
        try:
            for number in range(most):
                yield number
        finally:
            self.closed.set()


class Counter(BlockingClient[AsyncCounter]):
    asynchronous = AsyncCounter

    thread = blocking(AsyncCounter.thread)
    wait = blocking(AsyncCounter.wait)
    count = blocking_stream(AsyncCounter.count)


def test_calls_of_all_clients_run_on_one_other_thread() -> None:
    with Counter("127.0.0.1:1") as first, Counter("127.0.0.1:1") as second:
        assert first.thread() == second.thread() != threading.get_ident()


async def test_a_caller_may_have_an_event_loop_of_its_own() -> None:
    with Counter("127.0.0.1:1") as client:
        assert list(client.count(3)) == [0, 1, 2]


def test_an_iterator_that_is_given_up_closes_its_stream() -> None:
    with Counter("127.0.0.1:1") as client:
        numbers = client.count(3)
        assert next(numbers) == 0
        numbers.close()  # type: ignore[attr-defined]
        assert client._client.closed.is_set()


def test_an_interruption_cancels_the_call() -> None:
    with Counter("127.0.0.1:1") as client:

        def interrupt() -> None:
            client._client.begun.wait()
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

        threading.Thread(target=interrupt).start()
        with pytest.raises(KeyboardInterrupt):
            client.wait()
        assert client._client.cancelled.wait(60)
