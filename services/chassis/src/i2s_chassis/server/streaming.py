"""Bulk streams: many requests over one call, answers as they are done."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from typing import Generic, TypeVar

from i2s_chassis.callers.audit import audited
from i2s_chassis.errors import CallError, InternalError, Status, UnavailableError, new_error_id
from i2s_chassis.server.admission import StreamPlace, Ticket
from i2s_chassis.server.service import Chassis
from i2s_chassis.server.spans import end_call, span

Q = TypeVar("Q")
R = TypeVar("R")

_log = logging.getLogger(__name__)


async def answer_stream(
    chassis: Chassis,
    requests: AsyncIterator[Q],
    answer: Callable[[Q, Ticket], Awaitable[R]],
    failed: Callable[[Q, CallError], R],
    *,
    window: int | None = None,
) -> AsyncGenerator[R]:
    """Answer each request of a stream in its own slot, in the order in which they get done.

    The next request is read when the last one has a place in the queue and fewer than ``window``
    answers are under way or unread, so a fast sender and a slow reader both feel back-pressure.
    An item's failure is an item. Closing or cancelling the stream cancels all its items and waits
    for their end. When the service drains, what was read is answered and then the stream ends.

    Args:
        chassis: The chassis of the service.
        requests: Requests as the caller sends them.
        answer: The function that answers one request; holds a slot while it runs.
        failed: The function that makes the answer that says how an item failed.
        window: Items under way at the same time; twice the slots if None.

    Yields:
        Answers, in completion order.

    Raises:
        UnavailableError: The service is draining; whatever has no answer yet was not begun.
        CallError: Reading a request failed.
    """
    stream = _Stream(chassis, requests, answer, failed, window or 2 * chassis.admission.slots)
    try:
        async for response in stream.responses():
            yield response
    finally:
        await stream.close()


class _Stream(Generic[Q, R]):
    def __init__(
        self,
        chassis: Chassis,
        requests: AsyncIterator[Q],
        answer: Callable[[Q, Ticket], Awaitable[R]],
        failed: Callable[[Q, CallError], R],
        window: int,
    ) -> None:
        self._chassis, self._requests, self._answer, self._failed = chassis, requests, answer, failed
        self._window = asyncio.Semaphore(window)
        self._done: asyncio.Queue[R | None] = asyncio.Queue()
        self._items: set[asyncio.Task[None]] = set()
        self._reader = asyncio.create_task(self._read_all())

    async def responses(self) -> AsyncIterator[R]:
        while (response := await self._done.get()) is not None:
            yield response
            self._window.release()
        await self._reader  # raises what ended the reading

    async def close(self) -> None:
        tasks = [self._reader, *self._items]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _read_all(self) -> None:
        try:
            async with aclosing(_until(self._chassis.draining, self._requests)) as requests:
                async for request in requests:
                    await self._window.acquire()
                    self._start(request, await self._chassis.admission.place_for_stream())
        finally:
            if self._items:
                await asyncio.wait(set(self._items))
            self._done.put_nowait(None)
        if self._chassis.draining.is_set():
            raise UnavailableError("the service is draining; send what has no answer to another one")

    def _start(self, request: Q, place: StreamPlace) -> None:
        def ended(item: asyncio.Task[None]) -> None:
            self._items.discard(item)
            place.leave()  # also where the item was cancelled before it began

        item = asyncio.create_task(self._run(request, place))
        self._items.add(item)
        item.add_done_callback(ended)

    async def _run(self, request: Q, place: StreamPlace) -> None:
        telemetry = self._chassis.telemetry
        with audited() as entry, span("item") as traced:
            began, status = time.monotonic(), Status.CANCELLED
            try:
                response, status = await self._outcome(request, place)
            finally:
                entry.log("item", status, time.monotonic() - began)
                end_call(traced, status, telemetry.caller())
        telemetry.item(status)
        self._done.put_nowait(response)

    async def _outcome(self, request: Q, place: StreamPlace) -> tuple[R, Status]:
        try:
            async with place.enter() as ticket:
                return await self._answer(request, ticket), Status.OK
        except CallError as error:
            return self._failed(request, error), error.status
        except Exception:
            internal = InternalError(new_error_id())
            _log.exception("unexpected failure", extra={"fields": {"error_id": internal.error_id}})
            return self._failed(request, internal), internal.status


async def _until(stop: asyncio.Event, requests: AsyncIterator[Q]) -> AsyncGenerator[Q, None]:
    """Pass requests on until there are no more or ``stop`` is set, even while waiting for one."""
    stopped = asyncio.create_task(stop.wait())
    try:
        while not stop.is_set():
            following = asyncio.create_task(_next(requests))
            try:
                await asyncio.wait({following, stopped}, return_when=asyncio.FIRST_COMPLETED)
                if not following.done():
                    return
            finally:
                following.cancel()  # does nothing to what is done
                await asyncio.gather(following, return_exceptions=True)
            if not (request := following.result()):
                return
            yield request[0]
    finally:
        stopped.cancel()


async def _next(requests: AsyncIterator[Q]) -> tuple[Q] | None:
    """Return the next request in a tuple; None if there are no more."""
    try:
        return (await anext(requests),)
    except StopAsyncIteration:
        return None
