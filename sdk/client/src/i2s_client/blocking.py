"""Clients for plain code: the calls of an asynchronous client, made on an event loop in another thread.

All blocking clients of a process share that thread. A caller may therefore have an event loop of its own, and
a client may be shared between threads.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import functools
import os
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Concatenate, Generic, ParamSpec, TypeVar

from i2s_client.connection import DEFAULT_DEADLINE, AsyncConnection

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    import grpc

    from i2s_client.credentials import Token
    from i2s_client.retry import RetryPolicy

C = TypeVar("C", bound=AsyncConnection)
P = ParamSpec("P")
A = TypeVar("A")


class BlockingClient(Generic[C]):
    """An asynchronous client for plain code. It connects at the first call.

    Args:
        address: "host:port".
        deadline: Seconds for one attempt of a call.
        retry: Failures that are tried again, and for how long.
        credentials: Credentials of gRPC; None speaks without TLS.
        token: Names the caller to a service that asks for one; needs TLS if the address is not loopback.

    Raises:
        SettingsError: The token would be sent without TLS.
    """

    asynchronous: ClassVar[type[AsyncConnection]]

    def __init__(
        self,
        address: str,
        *,
        deadline: float = DEFAULT_DEADLINE,
        retry: RetryPolicy | None = None,
        credentials: grpc.ChannelCredentials | None = None,
        token: Token | None = None,
    ) -> None:
        self.address = address
        self._client = _run(self._open(address, deadline, retry, credentials, token))

    async def _open(
        self,
        address: str,
        deadline: float,
        retry: RetryPolicy | None,
        credentials: grpc.ChannelCredentials | None,
        token: Token | None,
    ) -> Any:  # noqa: ANN401 - the type of C is that of the attribute asynchronous
        return self.asynchronous(
            address, deadline=deadline, retry=retry, credentials=credentials, token=token
        )

    def wait_ready(self, seconds: float) -> None:
        """Return once the service says that it serves; see ``AsyncConnection.wait_ready``."""
        _run(self._client.wait_ready(seconds))

    def close(self) -> None:
        """Close the channel; calls under way in other threads are cancelled."""
        _run(self._client.close())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def blocking(
    method: Callable[Concatenate[C, P], Coroutine[Any, Any, A]],
) -> Callable[Concatenate[BlockingClient[C], P], A]:
    """Return the method of a blocking client that makes a call of the asynchronous one and waits for it."""

    @functools.wraps(method)
    def call(self: BlockingClient[C], /, *args: P.args, **kwargs: P.kwargs) -> A:
        return _run(method(self._client, *args, **kwargs))

    return call


def blocking_stream(
    method: Callable[Concatenate[C, P], AsyncGenerator[A, None]],
) -> Callable[Concatenate[BlockingClient[C], P], Iterator[A]]:
    """Return the method of a blocking client that iterates over a stream of the asynchronous one.

    The stream advances only while the caller waits for the next item, and ends when the iterator does.
    """

    @functools.wraps(method)
    def iterate(self: BlockingClient[C], /, *args: P.args, **kwargs: P.kwargs) -> Iterator[A]:
        items = method(self._client, *args, **kwargs)
        try:
            while following := _run(_next(items)):
                yield following[0]
        finally:
            _run(items.aclose())

    return iterate


async def _next(items: AsyncGenerator[A, None]) -> tuple[A, ...]:
    async for item in items:
        return (item,)
    return ()


def _run(work: Coroutine[Any, Any, A]) -> A:
    """Run a coroutine on the shared event loop; an exception here, such as Ctrl-C, cancels it."""
    loop, future = _shared_loop(), concurrent.futures.Future[A]()
    tasks: list[asyncio.Task[None]] = []

    async def call() -> None:
        try:
            result = await work
        except asyncio.CancelledError:
            future.cancel()
            raise
        except BaseException as error:  # the caller's, whatever it is
            future.set_exception(error)
        else:
            future.set_result(result)

    def begin() -> None:
        tasks.append(loop.create_task(call()))

    def cancel() -> None:
        for task in tasks:
            task.cancel()
        if not tasks:  # interrupted before it was begun
            work.close()

    # An interruption may come anywhere from here on; what it cancels is never begun after it.
    try:
        loop.call_soon_threadsafe(begin)
        return future.result()
    except BaseException:
        loop.call_soon_threadsafe(cancel)
        raise


_lock = threading.Lock()


def _shared_loop() -> asyncio.AbstractEventLoop:
    with _lock:
        return _loop_of(os.getpid())


@functools.lru_cache(maxsize=1)
def _loop_of(process: int) -> asyncio.AbstractEventLoop:
    """Return the event loop of a process, started at its first call; a forked process gets one of its own."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="i2s-client", daemon=True).start()
    return loop
