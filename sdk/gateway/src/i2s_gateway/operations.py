"""The operations of the gateway: paths, methods of the contract behind them, and the services called."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from typing import TypeVar

import grpc
import grpc.aio
from google.protobuf.message import Message

from i2s_client.connection import LOOK_FOR, AsyncConnection, is_serving, keeps_secrets
from i2s_client.retry import RetryPolicy
from i2s_client.service_table import (
    DOCUMENTS,
    DOCUMENTS_WIRE_NAME,
    METRICS,
    METRICS_WIRE_NAME,
    OWN_SERVICES,
    RENDER_WIRE_NAME,
    languages,
    wire_name,
)
from i2s_client.status import error_of
from i2s_gateway.guard import GatewayError, invalid, of_call
from i2s_gateway.measurements import Measurements
from i2s_gateway.messages import to_json
from i2s_gateway.settings import GatewaySettings
from i2s_wire.contract import Method, contract
from i2s_wire.render.request import GenericSource
from i2s_wire.renderers import RENDERER_SPECS

PREFIX = "/v1"


@dataclass(frozen=True, slots=True)
class Operation:
    """A request of the method POST whose body is a message of the contract."""

    #: The path in the URL.
    path: str
    #: Full name of the service of gRPC.
    wire_name: str
    #: Name of its method.
    rpc: str
    #: Name of the service that answers; None if the request decides.
    service: str | None
    #: A body, for documentation. "base64:FILE" stands for the content of a file.
    example: Mapping[str, object]

    @property
    def method(self) -> Method:
        """The method of the contract."""
        return contract().method(self.wire_name, self.rpc)

    @property
    def makes_pictures(self) -> bool:
        """Whether a caller may have the image alone as the answer."""
        return self.wire_name == RENDER_WIRE_NAME

    @property
    def summary(self) -> str:
        """The purpose of the method, in the words of the contract."""
        return contract().comments[f"{self.wire_name}.{self.rpc}"].partition("\n\n")[0]


_EQUATION = r"\documentclass{article}\begin{document}\thispagestyle{empty}$E = mc^2$\end{document}"

OPERATIONS = (
    Operation(f"{PREFIX}/render", RENDER_WIRE_NAME, "Render", None, {"latex": {"document_text": _EQUATION}}),
    Operation(
        f"{PREFIX}/score",
        METRICS_WIRE_NAME,
        "Score",
        METRICS,
        {
            "reference": {"data": "base64:reference.png"},
            "prediction": {"data": "base64:picture.png"},
            "metrics": ["ems", "ssim"],
        },
    ),
    Operation(
        f"{PREFIX}/convert",
        DOCUMENTS_WIRE_NAME,
        "Convert",
        DOCUMENTS,
        {
            "fragments": [
                {"id": "1", "format": "FRAGMENT_FORMAT_MARKDOWN", "text_text": "| a |\n|---|\n| b |"}
            ]
        },
    ),
    Operation(
        f"{PREFIX}/draw-pages",
        DOCUMENTS_WIRE_NAME,
        "DrawPages",
        DOCUMENTS,
        {"pdf": "base64:document.pdf", "page_count": 1},
    ),
)


async def renderer_for(request: Message, named: str, backends: Backends, metadata: _Metadata) -> str:
    """Return the name of the renderer that a request to render is for.

    Args:
        request: A RenderRequest.
        named: The renderer that the caller wants; empty to take the one of this kind of source.
        backends: The services behind the gateway. A renderer whose description is not installed here is asked
            for its languages.
        metadata: What the caller brings.

    Raises:
        GatewayError: The request has no source, or nothing that can be asked renders it.
    """
    oneof = request.DESCRIPTOR.oneofs_by_name["source"]
    chosen = request.WhichOneof("source")
    if chosen is None:
        raise invalid(f"the request has no source: one of {', '.join(field.name for field in oneof.fields)}")
    if named:
        return named
    source = getattr(request, chosen)
    kind = type(source).__name__
    if kind == GenericSource.__name__:
        generic = {name: language.name for name, language in languages().items() if language.is_generic}
        renderer = generic.get(source.language) or await backends.renderer_of(source.language, metadata)
        what = f"the language {source.language[:80]!r}"
    else:
        what = chosen
        renderer = next(
            (
                renderer_spec.name
                for renderer_spec in RENDERER_SPECS
                if type(renderer_spec.canary).__name__ == kind
            ),
            None,
        )
    if renderer is None:
        raise GatewayError(
            501, "UNIMPLEMENTED", f"no renderer is known for {what}; name one with ?service=NAME"
        )
    return renderer


M = TypeVar("M", bound=Message)

_Metadata = Sequence[tuple[str, str]]

# Those of clients, but for the longest: a replica that is there for a moment only is not to be missed.
_PAUSES = RetryPolicy(longest_pause=1.0)

# The second is for the certificate of this gateway, where that is not listed.
_ASKS = (grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED)
_AWAY = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED)


class Backends:
    """The services behind a gateway.

    The gateway has no credentials of its own: what a caller brings is passed on, and nothing else.

    Args:
        connections: Connections by name of the service.
        settings: How long a call may take, and wait.

    Attributes:
        measurements: What is counted of the gateway.
    """

    def __init__(self, connections: Mapping[str, AsyncConnection], settings: GatewaySettings) -> None:
        self.connections, self._settings = connections, settings
        self.measurements = Measurements()
        self._waiting, self._most_waiting = 0, max(1, settings.connections // 2)
        self._unasked: set[str] = set()  # services that have not asked for credentials yet, and must
        self._languages: dict[str, str] = {}  # renderers that described themselves, by language

    async def call(self, service: str, method: Method, message: Message, metadata: _Metadata) -> Message:
        """Call a method of a service and return its answer.

        A call that finds no replica, loses it or comes to a full queue is made again, as the clients of the
        SDK do, until ``wait_seconds`` after it failed first: no method changes anything.

        Raises:
            GatewayError: There is no such service here, or it had no answer.
        """
        connection, clock = self.connection(service), time.monotonic
        end = until = clock() + self._settings.deadline
        reason: grpc.aio.AioRpcError | None = None  # of the attempt under way; None for the first
        for attempt in itertools.count(1):
            try:
                return await self._attempt(service, method, message, metadata, end - clock())
            except grpc.aio.AioRpcError as error:
                if reason is None:
                    until = min(clock() + self._settings.wait_seconds, end)
                elif error.code() is grpc.StatusCode.DEADLINE_EXCEEDED:
                    raise of_call(reason) from None  # that the time for waits is over is no news
                reason = error
            failure = error_of(reason, connection.address, method.path)
            pause = _PAUSES.pause_before_next(failure, attempt, until)
            if pause is None or self._waiting >= self._most_waiting:
                raise of_call(reason)
            with self._waits(service, failure.status):
                await asyncio.sleep(pause)
        raise AssertionError

    @contextmanager
    def _waits(self, service: str, status: str) -> Iterator[None]:
        """Count a request that waits for a service.

        Each holds a connection and a body, so at most half of the connections wait: a service that is away
        takes nothing from the callers of the others.
        """
        self._waiting += 1
        try:
            with self.measurements.wait(service, status):
                yield
        finally:
            self._waiting -= 1

    async def _attempt(
        self, service: str, method: Method, message: Message, metadata: _Metadata, seconds: float
    ) -> Message:
        connection = self.connection(service)
        if any(name == "authorization" for name, _ in metadata) and not keeps_secrets(
            connection.address, connection.credentials
        ):
            why = f"the gateway reaches {service} without TLS, so it does not send your token there"
            raise GatewayError(HTTPStatus.BAD_GATEWAY, "FAILED_PRECONDITION", why)
        if service in self._unasked and not await self._asks_for_credentials(service):
            why = f"{service} asked this gateway for no token, so others who reach it may not use it"
            raise GatewayError(HTTPStatus.BAD_GATEWAY, "FAILED_PRECONDITION", why)
        call = connection.channel.unary_unary(
            method.path,
            request_serializer=method.request.SerializeToString,
            response_deserializer=method.response.FromString,
        )
        answer: Message = await call(message, timeout=max(0.001, seconds), metadata=tuple(metadata))
        return answer

    async def describe(self, service: str, metadata: _Metadata) -> Message:
        """Return what a service says of itself now; raises as ``call`` does, without a wait."""
        method = contract().method(wire_name(service), "Describe")
        try:
            return await self._attempt(service, method, method.request(), metadata, self._settings.deadline)
        except grpc.aio.AioRpcError as error:
            raise of_call(error) from None

    async def renderer_of(self, language: str, metadata: _Metadata) -> str | None:
        """Return the renderer that describes itself as one of a language; None if there is none.

        Those are asked whose descriptions are not installed here. What they said is kept; a language that
        none of them named is asked for again.

        Raises:
            GatewayError: None of those that answered renders it, and another one did not answer.
        """
        if language not in self._languages:
            described = {renderer_spec.name for renderer_spec in languages().values()} | OWN_SERVICES
            names = [name for name in self.connections if name not in described]
            answers = await asyncio.gather(
                *(self.describe(name, metadata) for name in names), return_exceptions=True
            )
            for name, said in zip(names, answers, strict=True):
                if not isinstance(said, BaseException):
                    for spoken in to_json(said)["languages"]:
                        self._languages.setdefault(spoken, name)
            for said in answers:
                if language not in self._languages and isinstance(said, BaseException):
                    raise said
        return self._languages.get(language)

    async def health(self) -> dict[str, str]:
        """Return "SERVING", "NOT_SERVING" or "UNREACHABLE" for each service."""

        async def one(name: str, connection: AsyncConnection) -> str:
            try:
                serves = await is_serving(connection.channel, wire_name(name))
            except grpc.aio.AioRpcError:
                return "UNREACHABLE"
            return "SERVING" if serves else "NOT_SERVING"

        said = await asyncio.gather(*(one(*pair) for pair in self.connections.items()))
        return dict(zip(self.connections, said, strict=True))

    async def require_credentials(self) -> list[str]:
        """From now on call only services that ask who calls; returns the names of those that do not.

        One that cannot be reached now is asked before its first call.
        """
        self._unasked.update(self.connections)

        async def is_open(name: str) -> bool:
            try:
                return not await self._asks_for_credentials(name)
            except grpc.aio.AioRpcError:
                return False

        answers = await asyncio.gather(*(is_open(name) for name in self.connections))
        return [name for name, answer in zip(self.connections, answers, strict=True) if answer]

    async def _asks_for_credentials(self, service: str) -> bool:
        """Return whether a service refuses to describe itself to a caller without credentials.

        Raises:
            grpc.aio.AioRpcError: It cannot be reached.
        """
        describe = contract().method(wire_name(service), "Describe")
        call = self.connection(service).channel.unary_unary(
            describe.path,
            request_serializer=describe.request.SerializeToString,
            response_deserializer=describe.response.FromString,
        )
        try:
            await call(describe.request(), timeout=LOOK_FOR)
        except grpc.aio.AioRpcError as error:
            if error.code() in _AWAY:
                raise
            if error.code() not in _ASKS:
                return False
            self._unasked.discard(service)
            return True
        return False

    def connection(self, service: str) -> AsyncConnection:
        """Return the connection to a service.

        Raises:
            GatewayError: There is no such service here.
        """
        if service not in self.connections:
            there_are = ", ".join(self.connections)
            raise GatewayError(
                404,
                "NOT_FOUND",
                f"the service {service!r} is not behind this gateway; there are: {there_are}",
            )
        return self.connections[service]
