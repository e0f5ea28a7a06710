"""Many requests over one call: in order of completion, told apart by id, with back-pressure.

    source ──▶ window ──▶ written ──▶ answered ──▶ taken by the caller
                            ▲            │ failed, and the policy allows
                            └── pause ◀──┘

At most ``window`` items are between the source and the caller. The source is asked for the next one only when
there is room, so neither a fast source nor a slow caller fills the memory. An item that failed in a way that
deserves another attempt is sent again, alone; so is what had no answer when the call itself broke.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import grpc
import grpc.aio

from i2s_client.connection import AsyncConnection, call_span, read_answer
from i2s_client.errors import I2SError, ProtocolError, ServiceError, UsageError
from i2s_client.status import error_of, status_of, stream_error

Q = TypeVar("Q")
A = TypeVar("A")
R = TypeVar("R", bound="StreamRequest")

_LOOK_EVERY = 1.0  # seconds between looks for items that are overdue

# What gRPC makes of a request that could not be written because the call was over: its status, which would
# say why, is lost then.
_BROKE_OFF = "Internal error from Core"


@dataclass(frozen=True, slots=True)
class Streamed(Generic[A]):
    """The result of one item of a stream: ``answer``, or the ``error`` that a single call would raise."""

    id: str
    answer: A | None = None
    error: I2SError | None = None

    def result(self) -> A:
        """Return the answer.

        Raises:
            I2SError: There is none.
        """
        if self.answer is None:
            raise self.error or ProtocolError("a stream answered nothing")
        return self.answer


class StreamRequest(Protocol):
    """A request of a stream."""

    @property
    def id(self) -> str:
        """Name by which its answer is told apart."""
        ...


class StreamCall(Generic[R, A]):
    """One call of a streaming method, whose responses are an answer or a failure with the id of a request.

    Args:
        call: The call of gRPC.
        write: Writes a request; its second argument says to name nothing that was sent before.
        kind: Type of the answers.
        address: Address of the service, for messages.
        method: Name, such as "RenderStream".
    """

    def __init__(
        self,
        call: Any,  # noqa: ANN401 - the generated types of both methods have no base
        write: Callable[[R, bool], Any],
        kind: type[A],
        address: str,
        method: str,
    ) -> None:
        self._call, self._write, self._kind = call, write, kind
        self._address, self._method = address, method

    async def write(self, request: R, whole: bool) -> None:
        """Send a request; ``whole``: name nothing that was sent before."""
        await self._call.write(self._write(request, whole))

    async def read(self) -> tuple[str, A | ServiceError | ProtocolError] | None:
        """Return an answer or failure with its id; None if the service ended the call."""
        response = await self._call.read()
        if response is grpc.aio.EOF:
            return None
        if response.WhichOneof("outcome") == "failure":
            failure = response.failure
            said = status_of(failure.code), failure.message, failure.retry_after_ms
            return response.id, stream_error(*said, self._address, self._method)
        try:
            return response.id, read_answer(self._kind, response.response)
        except ProtocolError as error:
            return response.id, error

    async def done_writing(self) -> None:
        """Say that no request follows."""
        await self._call.done_writing()

    def cancel(self) -> None:
        """End the call."""
        self._call.cancel()


@dataclass(slots=True)
class _StreamItem(Generic[R]):
    id: str
    request: R
    end: float
    attempts: int = 0
    sent: float = 0.0
    whole: bool = False


async def stream(
    connection: AsyncConnection,
    requests: AsyncIterable[R] | Iterable[R],
    open_call: Callable[[], StreamCall[R, A]],
    *,
    method: str,
    window: int,
    deadline: float | None,
) -> AsyncGenerator[Streamed[A], None]:
    """Yield the results of requests in the order of their completion, over as many calls as it takes.

    Args:
        connection: The client of the service.
        requests: Requests with ids that differ.
        open_call: The function that begins a call.
        method: Name of the method, for messages.
        window: The most items under way or not yet taken.
        deadline: Seconds for one attempt of an item; None takes that of the client.

    Raises:
        UsageError: An id is empty, or two items under way have the same.
    """
    client = _StreamClient(connection, open_call, method, window, deadline)
    async for result in client.results(each(requests)):
        yield result


class _StreamClient(Generic[R, A]):
    """One stream for its caller, however many calls it takes."""

    def __init__(
        self,
        connection: AsyncConnection,
        open_call: Callable[[], StreamCall[R, A]],
        method: str,
        window: int,
        deadline: float | None,
    ) -> None:
        if window < 1:
            raise UsageError(f"window {window}: must be at least 1")
        self._method, self._open_call = method, open_call
        self._address, self._service = connection.address, connection.wire_name
        self._retry, self._deadline = connection.retry, deadline or connection.deadline
        self._window = asyncio.Semaphore(window)
        self._open: dict[str, _StreamItem[R]] = {}
        self._ready: asyncio.Queue[_StreamItem[R] | None] = asyncio.Queue()
        self._done: asyncio.Queue[Streamed[A] | None] = asyncio.Queue()
        self._fed = False

    async def results(self, source: AsyncIterator[R]) -> AsyncGenerator[Streamed[A], None]:
        """Yield what becomes of each item of ``source``.

        Raises:
            UsageError: Two items under way have the same id.
            Exception: What the source raised.
        """
        tasks = [asyncio.create_task(self._feed(source)), asyncio.create_task(self._talk())]
        try:
            while (result := await self._done.get()) is not None:
                yield result
                self._window.release()
            for task in tasks:
                if task.done():
                    task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _feed(self, source: AsyncIterator[R]) -> None:
        try:
            while True:
                await self._window.acquire()
                request = await anext(source, None)
                if request is None:
                    break
                if not request.id or request.id in self._open:
                    raise UsageError(f"id {request.id!r}: items of a stream need ids that differ")
                item = _StreamItem(request.id, request, time.monotonic() + self._retry.total_seconds)
                self._open[request.id] = item
                self._ready.put_nowait(item)
        except BaseException:
            self._done.put_nowait(None)
            raise
        self._fed = True
        self._ready.put_nowait(None)

    async def _talk(self) -> None:
        try:
            while self._open or not self._fed:
                first = await self._ready.get()
                if first is not None:
                    await self._call(first)
        finally:
            self._done.put_nowait(None)

    async def _call(self, first: _StreamItem[R]) -> None:
        with call_span(self._service, self._method, self._address):
            call = self._open_call()
            writer = asyncio.create_task(self._write(call, first))
            try:
                error = await self._read(call)
            finally:
                call.cancel()
                writer.cancel()
                await asyncio.gather(writer, return_exceptions=True)
        for item in [stream_item for stream_item in self._open.values() if stream_item.sent]:
            self._failed(item, error)

    async def _write(self, call: StreamCall[R, A], first: _StreamItem[R]) -> None:
        item: _StreamItem[R] | None = first
        try:
            while item is not None or self._open or not self._fed:
                if item is not None:
                    item.sent = time.monotonic()
                    try:
                        await call.write(item.request, item.whole)
                    except ValueError as error:  # a text that the wire cannot hold
                        said = UsageError(f"{item.id}: cannot be sent: {error}")
                        self._finish(item, Streamed(item.id, error=said))
                item = await self._ready.get()
            await call.done_writing()
        except (grpc.RpcError, asyncio.InvalidStateError):
            return  # the call is over; the reader learns why

    async def _read(self, call: StreamCall[R, A]) -> ServiceError:
        """Take answers until the call is over, and return what that means for items without one."""
        while True:
            reading = asyncio.create_task(call.read())
            try:
                while not (await asyncio.wait({reading}, timeout=_LOOK_EVERY))[0]:
                    if self._is_overdue():
                        said = f"no answer within {self._deadline:g} s"
                        return self._error(grpc.StatusCode.DEADLINE_EXCEEDED, said)
            finally:
                reading.cancel()  # does nothing to what is done
                await asyncio.gather(reading, return_exceptions=True)
            try:
                answered = reading.result()
            except grpc.RpcError as error:
                failure = error_of(error, self._address, self._method)
                if failure.status == "INTERNAL" and failure.detail == _BROKE_OFF:
                    return self._error(grpc.StatusCode.UNAVAILABLE, "the call broke off")
                return failure
            if answered is None:
                return self._error(grpc.StatusCode.UNAVAILABLE, "the service ended the stream")
            self._answered(*answered)

    def _answered(self, identity: str, answer: A | ServiceError | ProtocolError) -> None:
        item = self._open.get(identity)
        if item is None or not item.sent:
            return
        if isinstance(answer, ServiceError):
            self._failed(item, answer)
        elif isinstance(answer, ProtocolError):
            self._finish(item, Streamed(identity, error=answer))
        else:
            self._finish(item, Streamed(identity, answer))

    def _failed(self, item: _StreamItem[R], error: ServiceError) -> None:
        item.sent = 0.0
        if error.status == "NOT_FOUND" and not item.whole:
            item.whole = True
            self._ready.put_nowait(item)
            return
        item.attempts += 1
        pause = self._retry.pause_before_next(error, item.attempts, item.end)
        if pause is not None:
            asyncio.get_running_loop().call_later(pause, self._ready.put_nowait, item)
        else:
            error.attempts = item.attempts
            self._finish(item, Streamed(item.id, error=error))

    def _finish(self, item: _StreamItem[R], result: Streamed[A]) -> None:
        del self._open[item.id]
        self._done.put_nowait(result)
        if self._fed and not self._open:
            self._ready.put_nowait(None)

    def _is_overdue(self) -> bool:
        oldest = min(
            (stream_item.sent for stream_item in self._open.values() if stream_item.sent), default=None
        )
        return oldest is not None and time.monotonic() - oldest > self._deadline

    def _error(self, status: grpc.StatusCode, detail: str) -> ServiceError:
        return stream_error(status, detail, 0, self._address, self._method)


async def each(source: AsyncIterable[Q] | Iterable[Q]) -> AsyncIterator[Q]:
    """Yield the items of either kind of source. A plain one is asked in a thread, so it may read files."""
    if isinstance(source, AsyncIterable):
        async for item in source:
            yield item
        return
    plain = iter(source)
    while found := await asyncio.to_thread(_next, plain):
        yield found[0]


def _next(plain: Iterator[Q]) -> tuple[Q, ...]:
    """Return the next item in a tuple; an empty one if there is none."""
    for item in plain:
        return (item,)
    return ()
