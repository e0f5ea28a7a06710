"""One connection to one service: channel options, deadlines, and the retry policy around every call."""

from __future__ import annotations

import ipaddress
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

import grpc
import grpc.aio

from i2s_sdk.clients.retry import RetryPolicy
from i2s_sdk.clients.status import error_of
from i2s_sdk.errors import ServiceError

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

#: Seconds that one attempt may take where the caller says nothing: longer than the wall clock of a job
#: with default limits and a wait in the queue.
DEFAULT_DEADLINE = 120.0

_MESSAGE_BYTES = 256 * 1024 * 1024
_SERVICE_CONFIG = '{"loadBalancingConfig": [{"round_robin": {}}]}'

Q = TypeVar("Q")
A = TypeVar("A")


class Connection:
    """A channel of ``grpc``. The channel is made at the first call; safe to share between threads."""

    def __init__(
        self,
        address: str,
        *,
        deadline: float = DEFAULT_DEADLINE,
        retry: RetryPolicy | None = None,
        credentials: grpc.ChannelCredentials | None = None,
    ) -> None:
        self.address, self.deadline, self.retry = address, deadline, retry or RetryPolicy()
        self.credentials = credentials
        options = channel_options(address)
        self.channel = (
            grpc.insecure_channel(address, options)
            if credentials is None
            else grpc.secure_channel(address, credentials, options)
        )

    def call(self, method: Callable[..., A], name: str, message: Q, deadline: float | None = None) -> A:
        """Make a call, again where that may help.

        Args:
            method: Of a stub on ``channel``.
            name: Of the method, for messages.
            message: The request.
            deadline: Seconds for one attempt; None takes that of the connection.

        Raises:
            ServiceError: How the last attempt ended.
        """
        clock = _Clock(deadline or self.deadline, self.retry)
        for attempt in self.retry.attempts():
            with attempt:
                clock.attempts += 1
                try:
                    return method(message, timeout=clock.remaining())
                except grpc.RpcError as error:
                    raise clock.stamp(error_of(error, self.address, name)) from error
        raise AssertionError("the attempts end with an answer or an error")

    def close(self) -> None:
        """Close the channel."""
        self.channel.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class AsyncConnection:
    """A channel of ``grpc.aio``; belongs to the event loop that it was made in."""

    def __init__(
        self,
        address: str,
        *,
        deadline: float = DEFAULT_DEADLINE,
        retry: RetryPolicy | None = None,
        credentials: grpc.ChannelCredentials | None = None,
    ) -> None:
        self.address, self.deadline, self.retry = address, deadline, retry or RetryPolicy()
        self.credentials = credentials
        options = channel_options(address)
        self.channel = (
            grpc.aio.insecure_channel(address, options)
            if credentials is None
            else grpc.aio.secure_channel(address, credentials, options)
        )

    async def call(
        self,
        method: Callable[..., grpc.aio.UnaryUnaryCall[Q, A]],
        name: str,
        message: Q,
        deadline: float | None = None,
    ) -> A:
        """Make a call, again where that may help; see ``Connection.call``."""
        clock = _Clock(deadline or self.deadline, self.retry)
        async for attempt in self.retry.async_attempts():
            with attempt:
                clock.attempts += 1
                try:
                    return await method(message, timeout=clock.remaining())
                except grpc.RpcError as error:
                    raise clock.stamp(error_of(error, self.address, name)) from error
        raise AssertionError("the attempts end with an answer or an error")

    async def close(self) -> None:
        """Close the channel; calls in flight are cancelled."""
        await self.channel.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


class _Clock:
    """The time of one call over all its attempts."""

    def __init__(self, deadline: float, retry: RetryPolicy) -> None:
        self.attempts = 0
        self._deadline, self._end = deadline, time.monotonic() + retry.total_seconds

    def remaining(self) -> float:
        """Return the seconds that the next attempt may take."""
        return max(0.001, min(self._deadline, self._end - time.monotonic()))

    def stamp(self, error: ServiceError) -> ServiceError:
        """Note in an error how often the call was made."""
        error.attempts = self.attempts
        return error


def channel_options(address: str) -> Sequence[tuple[str, str | int]]:
    """Return the options of a channel to ``address``.

    gRPC's own retries are off, so that there is one policy; a lost connection is looked for again quickly,
    because a service that was restarted is back within seconds; calls go round robin over all addresses
    that the name has; a proxy is never asked for the loopback.
    """
    options: list[tuple[str, str | int]] = [
        ("grpc.enable_retries", 0),
        ("grpc.service_config", _SERVICE_CONFIG),
        ("grpc.max_receive_message_length", _MESSAGE_BYTES),
        ("grpc.max_send_message_length", _MESSAGE_BYTES),
        ("grpc.initial_reconnect_backoff_ms", 100),
        ("grpc.min_reconnect_backoff_ms", 100),
        ("grpc.max_reconnect_backoff_ms", 2000),
    ]
    if _is_loopback(address):
        options.append(("grpc.enable_http_proxy", 0))
    return options


def _is_loopback(address: str) -> bool:
    host = address.rpartition(":")[0].strip("[]")
    if host == "localhost" or address.startswith("unix:"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
