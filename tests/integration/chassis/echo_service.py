"""A service on the chassis that does what its requests say, and what its test says over a socket.

Requests: "say x", "hold x" (until the test releases x), "boom x", "wrong x". Over the socket it tells
its test "open", "begun x", "cancelled x" and "closed", and takes "go" and "release x".
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import ClassVar

from pydantic import Field, SecretStr

from i2s_chassis.errors import CallError, InvalidArgumentError, StartError
from i2s_chassis.jail.errors import KilledError
from i2s_chassis.server.entry import run, serve_command, token_command
from i2s_chassis.server.service import Chassis, Register, Service
from i2s_chassis.server.settings import ServiceSettings


class EchoSettings(ServiceSettings):
    service: ClassVar[str] = "echo"
    port: ClassVar[int] = 7790

    control: Path | None = Field(None, description="Socket of the test.")
    engine: str = Field("found", description='"missing" makes the start fail.')
    kills: int = Field(0, description="Starts that are disturbed.")
    token: SecretStr | None = Field(None, description="Not used; a secret.")


class Control:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self.events: dict[str, asyncio.Event] = defaultdict(asyncio.Event)
        self._listener = asyncio.create_task(self._listen())

    def tell(self, line: str) -> None:
        self._writer.write(f"{line}\n".encode())

    async def _listen(self) -> None:
        async for line in self._reader:
            self.events[line.decode().strip()].set()

    async def close(self) -> None:
        self._listener.cancel()
        self._writer.close()
        await self._writer.wait_closed()


class EchoService:
    name = "echo"
    wire_names = ("i2s.test.Echo",)

    def __init__(self, settings: EchoSettings) -> None:
        self._settings, self._kills = settings, settings.kills

    @asynccontextmanager
    async def open(self, chassis: Chassis) -> AsyncIterator[Register]:
        if self._settings.engine == "missing":
            raise StartError("the echo engine is not installed; install the package echo-engine")
        if self._kills:
            self._kills -= 1
            raise StartError("the echo engine does not start") from KilledError("something outside killed it")
        control = Control(*await asyncio.open_unix_connection(self._settings.control))
        try:
            control.tell("open")
            await control.events["go"].wait()
            yield lambda server: server.add_generic_rpc_handlers((routes(control, chassis),))
        finally:
            control.tell("closed")
            await control.close()


def routes(control: Control, chassis: Chassis):
    import grpc
    from google.protobuf.wrappers_pb2 import StringValue

    from i2s_chassis.server.streaming import answer_stream

    async def answer(request: StringValue, _) -> StringValue:
        word, _, rest = request.value.partition(" ")
        if word == "boom":
            raise RuntimeError(f"something about {rest}")
        if word == "wrong":
            raise InvalidArgumentError("value", "is wrong")
        if word == "sick":
            await chassis.set_healthy(False)
        if word == "hold":
            control.tell(f"begun {rest}")
            try:
                await control.events[f"release {rest}"].wait()
            except asyncio.CancelledError:
                control.tell(f"cancelled {rest}")
                raise
        chassis.telemetry.job("rendered", 0.1)
        return StringValue(value=rest)

    async def one(request: StringValue, context: grpc.aio.ServicerContext) -> StringValue:
        async with chassis.admission.slot(context.time_remaining()) as ticket:
            return await answer(request, ticket)

    def failed(request: StringValue, error: CallError) -> StringValue:
        return StringValue(value=f"{request.value}: {error.status.name}: {error.message}")

    async def many(requests: AsyncIterator[StringValue], context) -> AsyncIterator[StringValue]:
        async for response in answer_stream(chassis, requests, answer, failed):
            yield response

    parse, serialize = StringValue.FromString, StringValue.SerializeToString
    return grpc.method_handlers_generic_handler(
        "i2s.test.Echo",
        {
            "One": grpc.unary_unary_rpc_method_handler(one, parse, serialize),
            "Many": grpc.stream_stream_rpc_method_handler(many, parse, serialize),
        },
    )


def build(settings: EchoSettings) -> Service:
    return EchoService(settings)


if __name__ == "__main__":
    raise SystemExit(run("echo", [serve_command(EchoSettings, build), token_command()]))
