"""A connection to a service: channel options, health, deadlines, spans, and retries around every call."""

from __future__ import annotations

import asyncio
import ipaddress
import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, ClassVar, TypeVar

import grpc
import grpc.aio

from i2s_client.credentials import Token
from i2s_client.errors import (
    DeadlineError,
    ProtocolError,
    ServiceError,
    ServiceUnavailableError,
    SettingsError,
)
from i2s_client.retry import RetryPolicy
from i2s_client.status import error_of
from i2s_wire.codec import decode
from i2s_wire.errors import ContractError, UnknownValueError
from i2s_wire.tracing import Kind, Span, span, trace_metadata

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from google.protobuf.message import Message


#: Seconds between two looks at a service that does not serve yet, and for one look.
LOOK_EVERY, LOOK_FOR = 0.1, 5.0

# The messages of the protocol have one field each, so that grpcio-health-checking is not needed for them.
_SERVING = b"\x08\x01"  # HealthCheckResponse with status = SERVING
_ONE_BYTE = 128  # lengths from here on take two


async def is_serving(channel: grpc.aio.Channel, service: str) -> bool:
    """Return whether ``service`` (full name) says SERVING on this channel now.

    Raises:
        grpc.aio.AioRpcError: There is no answer.
    """
    check = channel.unary_unary(
        "/grpc.health.v1.Health/Check", request_serializer=_request, response_deserializer=bytes
    )
    answer: bytes = await check(service, timeout=LOOK_FOR)
    return answer == _SERVING


def _request(service: str) -> bytes:
    """Return a HealthCheckRequest, whose only field is number 1, the name."""
    name = service.encode()
    assert len(name) < _ONE_BYTE
    return bytes([0x0A, len(name)]) + name


async def wait_until_serving(channel: grpc.aio.Channel, address: str, service: str, seconds: float) -> None:
    """Return once ``service`` says SERVING.

    Args:
        channel: Channel to the service.
        address: Address of the channel, for the message.
        service: Full name, such as "i2s.render.v1.RenderService".
        seconds: How long to wait; at least one look is taken.

    Raises:
        ServiceUnavailableError: It did not in time; the message has what it said last.
    """
    end = time.monotonic() + seconds
    while True:
        try:
            if await is_serving(channel, service):
                return
            last = "it says NOT_SERVING"
        except grpc.aio.AioRpcError as error:
            last = f"{error.code().name}: {error.details()}"
        if time.monotonic() + LOOK_EVERY >= end:
            break
        await asyncio.sleep(LOOK_EVERY)
    raise ServiceUnavailableError(
        f"no {service} was ready at {address} within {seconds:g} s ({last}); is it running there?",
        address=address,
        method="Check",
        status="UNAVAILABLE",
        detail=last,
    )


@contextmanager
def call_span(service: str, method: str, address: str) -> Iterator[Span]:
    """Have the span of a call with all its attempts; the trace goes on in the service.

    Args:
        service: Full name, such as "i2s.render.v1.RenderService".
        method: Name, such as "Render".
        address: Where the service is looked for.
    """
    attributes = {
        "rpc.system": "grpc",
        "rpc.service": service,
        "rpc.method": method,
        "server.address": address,
    }
    with span(f"{service}/{method}", attributes, kind=Kind.CLIENT) as call:
        try:
            yield call
        except ServiceError as error:
            call.set({"rpc.grpc.status_code": _code(error), "i2s.attempts": error.attempts})
            raise
        call.set({"rpc.grpc.status_code": 0})


def note_failed_attempt(call: Span, error: ServiceError) -> None:
    """Add an attempt that failed to the span of its call; the next one is in the same span."""
    call.add_event("attempt failed", {"rpc.grpc.status_code": _code(error)})


def _code(error: ServiceError) -> int | None:
    return next(
        (status_code.value[0] for status_code in grpc.StatusCode if status_code.name == error.status), None
    )


#: Seconds that one attempt may take where the caller says nothing: longer than the wall clock of a job
#: with default limits and a wait in the queue.
DEFAULT_DEADLINE = 120.0

#: Seconds that calls have on a channel that another one replaces; streams are among them.
_CALLS_END_SECONDS = 3600.0
_MESSAGE_BYTES = 256 * 1024 * 1024
_ASK_AGAIN_MS = 5000  # a name is looked up no more often than that
_SCHEMES = frozenset({"dns", "ipv4", "ipv6", "unix"})
# The services permit a ping every 10 s. An address that vanishes costs a call both times together.
_PING_AFTER_MS, _PING_FOR_MS = 12_000, 10_000

Q = TypeVar("Q")
A = TypeVar("A")


class AsyncConnection:
    """A channel of ``grpc.aio``; belongs to the event loop that it was made in."""

    #: Full name of the service, such as "i2s.render.v1.RenderService".
    wire_name: ClassVar[str]

    def __init__(
        self,
        address: str,
        *,
        deadline: float = DEFAULT_DEADLINE,
        retry: RetryPolicy | None = None,
        credentials: grpc.ChannelCredentials | None = None,
        token: Token | None = None,
    ) -> None:
        self.address, self.deadline, self.retry = address, deadline, retry or RetryPolicy()
        self.credentials, self.token = credentials, token
        self._closing: set[asyncio.Task[None]] = set()
        _check_token_stays_secret(address, credentials, token)
        self.channel = self._opened()

    def _opened(self) -> grpc.aio.Channel:
        target, options = target_of(self.address), channel_options(self.address, self.retry)
        if self.credentials is None:
            return grpc.aio.insecure_channel(target, options)
        return grpc.aio.secure_channel(target, self.credentials, options)

    def renew(self, credentials: grpc.ChannelCredentials) -> None:
        """Make calls by a new channel from now on, such as one with a renewed certificate.

        Calls under way end on the channel that they began on.
        """
        old, self.credentials = self.channel, credentials
        self.channel = self._opened()
        closing = asyncio.create_task(old.close(_CALLS_END_SECONDS))
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)

    async def call(
        self,
        method: Callable[..., grpc.aio.UnaryUnaryCall[Q, A]],
        name: str,
        message: Q,
        deadline: float | None = None,
    ) -> A:
        """Make a call, again if that may help.

        Args:
            method: Method of a stub on ``channel``.
            name: Name of the method, for messages.
            message: The request.
            deadline: Seconds for one attempt; None takes that of the connection.

        Raises:
            ServiceError: How the last attempt ended.
        """
        with call_span(self.wire_name, name, self.address) as traced:
            clock, metadata = _Clock(deadline or self.deadline, self.retry), self.metadata()
            while True:
                clock.attempts += 1
                try:
                    return await method(message, timeout=clock.remaining(), metadata=metadata)
                except grpc.RpcError as error:
                    failure = clock.stamp(error_of(error, self.address, name))
                    note_failed_attempt(traced, failure)
                    pause = self.retry.pause_before_next(failure, clock.attempts, clock.end)
                    if pause is None:
                        raise failure from error
                await asyncio.sleep(pause)

    def metadata(self) -> tuple[tuple[str, str], ...]:
        """Return the metadata of one call, the same in all its attempts.

        Raises:
            SettingsError: The credentials of the caller in ``on_behalf_of`` would be sent without TLS.
        """
        caller = _CALLER.get()
        if caller is None:
            return call_metadata(self.token)
        if caller and not keeps_secrets(self.address, self.credentials):
            raise SettingsError(
                f"the credentials of a caller would be sent to {self.address} without TLS, where others can "
                "read them; give --set tls_ca=FILE (I2S_TLS_CA)"
            )
        return (*call_metadata(None), *((("authorization", caller),) if caller else ()))

    async def wait_ready(self, seconds: float) -> None:
        """Return once the service says that it serves.

        Raises:
            ServiceUnavailableError: It did not within ``seconds``.
        """
        await wait_until_serving(self.channel, self.address, self.wire_name, seconds)

    async def close(self) -> None:
        """Close the channel; calls in flight are cancelled."""
        await self.channel.close()
        for closing in self._closing:
            closing.cancel()
        await asyncio.gather(*self._closing, return_exceptions=True)

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
        self._deadline, self.end = deadline, time.monotonic() + retry.total_seconds
        self._reason: ServiceError | None = None

    def remaining(self) -> float:
        """Return the seconds that the next attempt may take."""
        return max(0.001, min(self._deadline, self.end - time.monotonic()))

    def stamp(self, error: ServiceError) -> ServiceError:
        """Return the error to raise, which says how often the call was made.

        If the time of all attempts ran out during one, that is not news: the reason for the attempt is.
        """
        if isinstance(error, DeadlineError) and self._reason is not None and time.monotonic() >= self.end:
            error = self._reason
        self._reason = error
        error.attempts = self.attempts
        return error


def call_metadata(token: Token | None) -> tuple[tuple[str, str], ...]:
    """Return the metadata of one call, the same in all its attempts.

    A service that sends a call away knows it by its name when it comes back. In a trace it goes on with that.
    """
    known = (("x-request-id", secrets.token_hex(8)), *trace_metadata())
    return known if token is None else (*known, ("authorization", token.authorization))


#: The credentials of the caller whom calls are made for; None makes them with the token of the client.
_CALLER: ContextVar[str | None] = ContextVar("i2s_caller", default=None)


@contextmanager
def on_behalf_of(authorization: str) -> Iterator[None]:
    """Make the calls of the block, and of tasks that begin in it, with the credentials of a caller.

    So a server can answer many callers over the same channels and lend none of them a token of its own.

    Args:
        authorization: Value of the metadata ``authorization``; empty makes calls without credentials.
    """
    before = _CALLER.set(authorization)
    try:
        yield
    finally:
        _CALLER.reset(before)


def keeps_secrets(address: str, credentials: grpc.ChannelCredentials | None) -> bool:
    """Return whether nobody on the way to an address can read a token: by TLS, or as it is this machine."""
    return credentials is not None or is_loopback(address)


def _check_token_stays_secret(
    address: str, credentials: grpc.ChannelCredentials | None, token: Token | None
) -> None:
    if token is not None and not keeps_secrets(address, credentials):
        raise SettingsError(
            f"the token for {address} would be sent without TLS, where others can read it; "
            "give --set tls_ca=FILE (I2S_TLS_CA), or take the token away"
        )


def target_of(address: str) -> str:
    """Return what gRPC is told to connect to.

    A plain "host:port" is looked up as ``dns:///host:port``, so that all addresses of a name are found, such
    as the replicas behind a headless Service. What names a scheme of gRPC ("dns:", "ipv4:", "ipv6:", "unix:")
    is left as it is: ``ipv4:10.0.0.1:7710,10.0.0.2:7710`` lists replicas.
    """
    return address if address.partition(":")[0] in _SCHEMES else f"dns:///{address}"


def channel_options(address: str, retry: RetryPolicy | None = None) -> Sequence[tuple[str, str | int]]:
    """Return the options of a channel to ``address``.

    Calls go round robin over all addresses that the name has; one that fails with UNAVAILABLE is made again
    by gRPC itself, at the next address (``RetryPolicy.service_config``). A lost connection is looked for
    again quickly, because a service that was restarted is back within seconds; so is the name, for new
    replicas. A peer that falls silent in the middle of a call is taken for dead after 22 seconds. A proxy is
    never asked for the loopback.
    """
    options: list[tuple[str, str | int]] = [
        ("grpc.service_config", (retry or RetryPolicy()).service_config()),
        ("grpc.per_rpc_retry_buffer_size", _MESSAGE_BYTES),
        ("grpc.max_receive_message_length", _MESSAGE_BYTES),
        ("grpc.max_send_message_length", _MESSAGE_BYTES),
        ("grpc.initial_reconnect_backoff_ms", 100),
        ("grpc.min_reconnect_backoff_ms", 100),
        ("grpc.max_reconnect_backoff_ms", 2000),
        ("grpc.dns_min_time_between_resolutions_ms", _ASK_AGAIN_MS),
        ("grpc.keepalive_time_ms", _PING_AFTER_MS),
        ("grpc.keepalive_timeout_ms", _PING_FOR_MS),
        ("grpc.http2.ping_timeout_ms", _PING_FOR_MS),  # a minute by default, whatever the line above says
        # By default gRPC sends two pings during a call that sends nothing, and then one a minute.
        ("grpc.http2.max_pings_without_data", 0),
    ]
    if is_loopback(address):
        options.append(("grpc.enable_http_proxy", 0))
    return options


def is_loopback(address: str) -> bool:
    """Return whether only programs of this machine listen at an address, such as "127.0.0.1:7710"."""
    scheme, _, rest = address.partition(":")
    if scheme == "unix":
        return True
    plain = rest.lstrip("/") if scheme in _SCHEMES else address
    return all(_is_loopback_host(one.rpartition(":")[0].strip("[]")) for one in plain.split(","))


def _is_loopback_host(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


M = TypeVar("M")


def read_answer(kind: type[A], answer: Message) -> A:
    """Return an answer as a value of a type of the wire.

    Raises:
        ProtocolError: It is outside the contract, such as that of a service which is newer than this package.
    """
    try:
        return decode(answer, kind)
    except UnknownValueError as error:
        raise ProtocolError(
            f"the service answered {error.field} = {error.number}, which i2s-sdk does not know; "
            "install versions of the service and of i2s-sdk that belong together"
        ) from None
    except ContractError as error:
        raise ProtocolError(f"the service answered {error}") from None
