"""The gate that every call passes: identity, malformed bytes, failures, draining, context, counts.

The metadata of a call say where it comes from, whether it may call, and as whom. Service code raises the
errors of ``errors.py`` and never sees a malformed message; the caller always sees a status of the contract.
"""

from __future__ import annotations

import asyncio
import contextlib
import enum
import logging
import re
import secrets
import time
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, aclosing, asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias, cast

import grpc
import grpc.aio
from google.protobuf.message import DecodeError

from i2s_chassis.callers.access import AccessFile
from i2s_chassis.callers.audit import AuditEntry, audited, current_entry
from i2s_chassis.callers.caller import CallContext, caller_of, certificate_names, listed_as
from i2s_chassis.callers.quota import CallerAccounts
from i2s_chassis.callers.shares import Flow, coming_from, current_flow
from i2s_chassis.errors import (
    CallError,
    InternalError,
    InvalidArgumentError,
    Refusal,
    ResourceExhaustedError,
    Status,
    UnavailableError,
    new_error_id,
)
from i2s_chassis.server.logs import LogValue, log_context
from i2s_chassis.server.spans import call_span, end_call, parse_traceparent
from i2s_chassis.server.telemetry import Telemetry
from i2s_wire.tracing import RemoteParent, Span

# The messages of a call are whatever its proto says; nothing here looks into them.
Message = Any
Handler: TypeAlias = "grpc.RpcMethodHandler[Message, Message]"
Context: TypeAlias = "grpc.aio.ServicerContext[Message, Message]"
Parse = Callable[[bytes], Message]

_PUSHBACK = "grpc-retry-pushback-ms"  # gRFC A6
_CANCEL_SECONDS = 2.0
_HELD_PUSHBACK_MS = 1000
_LATE_PUSHBACK_MS = 50
_MOST_LATE_CALLS = 1024
_PART_OF_LATE_BYTES = 4  # of those that may be held by calls that run or wait
_LOOKALIKE_BYTES = 65_536
_log = logging.getLogger(__name__)


class Phase(enum.Enum):
    """The state of the service; the value says why it answers UNAVAILABLE."""

    STARTING = "the service is starting; come back when its health is SERVING"
    SERVING = ""
    UNHEALTHY = "the service cannot work now; its log says why"
    DRAINING = "the service is draining; ask another one"


_REFUSALS = {
    Phase.STARTING: Refusal.STARTING,
    Phase.UNHEALTHY: Refusal.UNHEALTHY,
    Phase.DRAINING: Refusal.DRAINING,
}


class Gate(grpc.GenericRpcHandler):
    """Routes the calls of a service's own gRPC services and turns every failure into a status.

    Attributes:
        phase: Calls are let in while it is SERVING.
    """

    def __init__(
        self,
        wire_names: Iterable[str],
        telemetry: Telemetry,
        max_held_bytes: int,
        origins: Origins,
        accounts: CallerAccounts,
    ) -> None:
        """Prepare.

        Args:
            wire_names: Full names of the gRPC services that it guards.
            telemetry: The metrics that count the calls.
            max_held_bytes: Maximum size of the messages of all single calls that run or wait together.
            origins: The object that says whose a call is, and whether it may be made.
            accounts: Charges callers for what they send.
        """
        self.phase = Phase.STARTING
        self._held_bytes, self._max_held_bytes = 0, max_held_bytes
        self._late_calls = self._late_bytes = 0
        self._prefixes = tuple(f"/{name}/" for name in wire_names)
        self._telemetry, self._origins, self._accounts = telemetry, origins, accounts
        self._routes: list[grpc.GenericRpcHandler] = []
        self._calls: set[asyncio.Task[object]] = set()
        self._ending = False

    def registrar(self) -> grpc.aio.Server:
        """Return what generated ``add_…Servicer_to_server`` functions take.

        Servicers are registered here and not at the server itself, which takes no more of them
        once it has started.
        """
        return cast(grpc.aio.Server, self)

    def add_generic_rpc_handlers(self, handlers: Iterable[grpc.GenericRpcHandler]) -> None:
        """Add routes; called by generated code."""
        self._routes.extend(handlers)

    def add_registered_method_handlers(self, name: str, handlers: Mapping[str, Handler]) -> None:
        """Do nothing: the same routes come through add_generic_rpc_handlers; called by generated code."""

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> Handler | None:
        """Return what handles a call; None for one that is not ours. Called by grpc."""
        method = handler_call_details.method
        if not method.startswith(self._prefixes):
            return None
        metadata = read_metadata(method, handler_call_details.invocation_metadata or ())
        if self.phase is not Phase.SERVING:
            unavailable = UnavailableError(self.phase.value, refusal=_REFUSALS[self.phase])
            return grpc.stream_stream_rpc_method_handler(self._refuse(method, unavailable, metadata))
        if refusal := self._origins.refusal(metadata):
            return grpc.stream_stream_rpc_method_handler(self._refuse(method, refusal, metadata))
        found = (route.service(handler_call_details) for route in self._routes)
        handler = next((candidate for candidate in found if candidate is not None), None)
        return None if handler is None else self._guarded(method, handler, metadata)

    async def finish(self, seconds: float, at_once: asyncio.Event) -> None:
        """Wait until all calls have ended; cancel those that have not after ``seconds`` or ``at_once``."""
        stopping = asyncio.create_task(at_once.wait())
        try:
            end = time.monotonic() + seconds
            while self._calls and not at_once.is_set() and (left := end - time.monotonic()) > 0:
                await asyncio.wait(
                    {stopping, *self._calls}, timeout=left, return_when=asyncio.FIRST_COMPLETED
                )
        finally:
            stopping.cancel()
        self._ending = True
        if self._calls:
            _log.warning(
                "jobs cancelled at the end of draining", extra={"fields": {"jobs": len(self._calls)}}
            )
            for call in self._calls:
                call.cancel()
            await asyncio.wait(set(self._calls), timeout=_CANCEL_SECONDS)

    def _refuse(self, method: str, error: CallError, metadata: Metadata) -> Callable[..., Awaitable[None]]:
        async def refuse(_: AsyncIterable[bytes], context: Context) -> None:
            self._telemetry.call(_short(method), error.status)
            if error.refusal is not None:
                self._telemetry.refusal(error.refusal)
            with log_context(**metadata.fields, caller=caller_of(context)):
                AuditEntry().log("call", error.status, 0.0)
            await _abort(context, error)

        return refuse

    def _guarded(self, method: str, handler: Handler, metadata: Metadata) -> Handler:
        """Return the handler with its parsing and its failures taken over; the same kind of call."""
        parse: Parse = handler.request_deserializer or bytes
        decode = self._parse_all if handler.request_streaming else _parse_one
        behaviour, wrap = _kind(handler)

        async def one(request: Message, context: Context) -> Message:
            async with self._guard(method, context, metadata):
                # A stream is held back by its window; single calls come as fast as they are sent.
                with contextlib.nullcontext() if handler.request_streaming else self._holding(request):
                    return await behaviour(decode(parse, request), context)

        async def many(request: Message, context: Context) -> None:
            # Writing here instead of yielding closes the answers in this task when it is cancelled.
            guard = self._guard(method, context, metadata)
            async with guard, aclosing(behaviour(decode(parse, request), context)) as answers:
                async for answer in answers:
                    await context.write(answer)

        return wrap(many if handler.response_streaming else one, None, handler.response_serializer)

    @contextlib.contextmanager
    def _holding(self, raw: bytes) -> Iterator[None]:
        """Count a message as held while its call runs or waits."""
        if self._held_bytes and self._held_bytes + len(raw) > self._max_held_bytes:
            raise ResourceExhaustedError(
                f"requests of {self._held_bytes} bytes run or wait and {self._max_held_bytes} are allowed; "
                "come back later",
                _HELD_PUSHBACK_MS,
                refusal=Refusal.BYTES,
            )
        self._held_bytes += len(raw)
        current_entry().request_bytes = len(raw)
        flow = current_flow()
        try:
            with coming_from(flow if flow.is_named else replace(flow, call=_lookalike(raw))):
                yield
        finally:
            self._held_bytes -= len(raw)

    async def _keep_back(self, error: CallError, size: int) -> None:
        """Wait in the place of a caller that would not, as far as there is memory for its message."""
        if (
            self._late_calls >= _MOST_LATE_CALLS
            or self._late_bytes + size > self._max_held_bytes // _PART_OF_LATE_BYTES
        ):
            return
        self._late_calls, self._late_bytes = self._late_calls + 1, self._late_bytes + size
        try:
            await asyncio.sleep(error.retry_after_ms / 1000)
            error.retry_after_ms = _LATE_PUSHBACK_MS
        finally:
            self._late_calls, self._late_bytes = self._late_calls - 1, self._late_bytes - size

    async def _parse_all(self, parse: Parse, raws: AsyncIterable[bytes]) -> AsyncIterator[Message]:
        async for raw in raws:
            current_entry().request_bytes += len(raw)
            self._accounts.of(current_flow().caller).spend("bytes", len(raw), time.monotonic())
            yield _parse_one(parse, raw)

    @asynccontextmanager
    async def _guard(self, method: str, context: Context, metadata: Metadata) -> AsyncIterator[None]:
        task = asyncio.current_task()
        assert task is not None  # a coroutine always runs in one
        self._calls.add(task)
        start, status = time.monotonic(), Status.OK
        with contextlib.ExitStack() as stack:
            call = stack.enter_context(call_span(method, metadata.parent))
            fields = {**metadata.fields, **_identifiers(call), "caller": caller_of(context)}
            stack.enter_context(log_context(**fields))
            entry = stack.enter_context(audited())
            try:
                stack.enter_context(self._origins.identified(metadata, context))
                yield
            except asyncio.CancelledError:
                if not self._ending:
                    status = _why_cancelled(context)
                    raise
                task.uncancel()
                status = Status.UNAVAILABLE
                await _abort(
                    context, UnavailableError("the service ended before the job did; ask another one")
                )
            except CallError as error:
                status = error.status
                if error.refusal is not None:
                    self._telemetry.refusal(error.refusal)
                if error.is_late:
                    self._calls.discard(task)  # so that a drain does not wait for it
                    await self._keep_back(error, entry.request_bytes)
                await _abort(context, error)
            except grpc.aio.BaseError:  # the connection went away while an answer was written
                status = Status.CANCELLED
                raise
            except Exception:
                internal = InternalError(new_error_id())
                status = internal.status
                _log.exception("unexpected failure", extra={"fields": {"error_id": internal.error_id}})
                await _abort(context, internal)
            finally:
                self._calls.discard(task)
                self._telemetry.call(_short(method), status)
                end_call(call, status, self._telemetry.caller())
                entry.log("call", status, time.monotonic() - start)


def _kind(handler: Handler) -> tuple[Callable[..., Any], Callable[..., Handler]]:
    """Return a handler's behaviour, and what makes a handler of the same kind."""
    kinds: dict[tuple[bool, bool], tuple[object, Callable[..., Handler]]] = {
        (False, False): (handler.unary_unary, grpc.unary_unary_rpc_method_handler),
        (False, True): (handler.unary_stream, grpc.unary_stream_rpc_method_handler),
        (True, False): (handler.stream_unary, grpc.stream_unary_rpc_method_handler),
        (True, True): (handler.stream_stream, grpc.stream_stream_rpc_method_handler),
    }
    behaviour, wrap = kinds[handler.request_streaming, handler.response_streaming]
    return cast(Callable[..., Any], behaviour), wrap


async def _abort(context: Context, error: CallError) -> None:
    trailing = ((_PUSHBACK, str(error.retry_after_ms)),) if error.retry_after_ms else ()
    await context.abort(grpc.StatusCode[error.status.name], error.message, trailing)


def _parse_one(parse: Parse, raw: bytes) -> Message:
    try:
        return parse(raw)
    except (DecodeError, ValueError):
        raise InvalidArgumentError("request", "the bytes are no valid message of this method") from None


def _lookalike(raw: bytes) -> str:
    """Return what messages of the same beginning and length have in common; nobody outside can know it."""
    return f"{hash((len(raw), raw[:_LOOKALIKE_BYTES])):x}"


def _why_cancelled(context: Context) -> Status:
    remaining = cast(float | None, context.time_remaining())
    return Status.DEADLINE_EXCEEDED if remaining is not None and remaining <= 0 else Status.CANCELLED


def _identifiers(call: Span) -> dict[str, str]:
    """Return the identifiers of a span for the log; those of the caller's stay if none is recorded."""
    identifiers = call.identifiers
    return {} if identifiers is None else {"trace_id": identifiers[0], "span_id": identifiers[1]}


def _short(method: str) -> str:
    return method.rpartition("/")[2]


_REQUEST_ID = re.compile(r"[A-Za-z0-9._:/-]{1,128}")


@dataclass(frozen=True, slots=True)
class Metadata:
    """The metadata that a caller sends beside its messages."""

    #: Its name for the call, the same in all attempts; empty if it gave none.
    request_id: str
    #: Its credentials; None if it gave none.
    authorization: str | None = field(repr=False)
    #: What log lines of the call carry.
    fields: Mapping[str, LogValue]
    #: Its span, if it sent one.
    parent: RemoteParent = field(default_factory=RemoteParent)


def read_metadata(method: str, items: Iterable[tuple[str, str | bytes]]) -> Metadata:
    """Return what is used of a call's metadata. Only values of a safe form are taken for the log."""
    texts = {key: value for key, value in items if isinstance(value, str)}
    given = texts.get("x-request-id", "")
    request_id = given if _REQUEST_ID.fullmatch(given) else ""
    fields: dict[str, LogValue] = {
        "method": method.rpartition("/")[2],
        "request_id": request_id or secrets.token_hex(8),
    }
    if trace := parse_traceparent(texts.get("traceparent", "")):
        fields |= {"trace_id": trace.trace_id, "span_id": trace.span_id}
    return Metadata(request_id, texts.get("authorization"), fields, RemoteParent.of(texts))


class Origins:
    """Says of each call whether it may be made, and whose it is."""

    def __init__(self, access: AccessFile | None = None, *, certificates: bool = False) -> None:
        """Prepare.

        Args:
            access: Who may call; None if everybody who can connect may.
            certificates: Whether clients present certificates.
        """
        self._access, self._certificates = access, certificates

    def refusal(self, metadata: Metadata) -> CallError | None:
        """Return why a call cannot be made, as far as its metadata say, before its messages are read."""
        if self._access is None or (metadata.authorization is None and self._certificates):
            return None
        try:
            self._access.authenticate(metadata.authorization, ())
        except CallError as error:
            return error
        return None

    @contextmanager
    def identified(self, metadata: Metadata, context: CallContext) -> Iterator[None]:
        """Let the work of this task belong to the caller of a call.

        Raises:
            UnauthenticatedError: It has no credentials, or wrong ones.
            PermissionDeniedError: Its credentials are good and do not suffice.
        """
        with ExitStack() as stack:
            if self._access is not None:
                names = certificate_names(context)
                stack.enter_context(listed_as(self._access.authenticate(metadata.authorization, names)))
            caller = caller_of(context)
            flow = Flow(caller, context.peer(), metadata.request_id, bool(metadata.request_id))
            stack.enter_context(coming_from(flow))
            stack.enter_context(log_context(caller=caller))
            yield
