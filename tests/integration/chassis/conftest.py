from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
import urllib.request
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import grpc
import pytest
from google.protobuf.wrappers_pb2 import StringValue
from grpc_health.v1 import health_pb2, health_pb2_grpc

ECHO = Path(__file__).with_name("echo_service.py")
PATIENCE = 30


class Control:
    """The test's end of the socket over which the echo service tells what it does."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "control"
        self._lines: asyncio.Queue[str] = asyncio.Queue()
        self._seen: list[str] = []
        self._writer: asyncio.StreamWriter | None = None

    async def __aenter__(self) -> Control:
        self._server = await asyncio.start_unix_server(self._connected, self.path)
        self.path.chmod(0o666)  # the service may be another user by now
        return self

    async def __aexit__(self, *_) -> None:
        self._server.close()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        async for line in reader:
            self._lines.put_nowait(line.decode().strip())
        writer.close()

    async def hears(self, line: str, seconds: float = PATIENCE) -> None:
        """Wait until the service says this line; lines may come in any order."""
        async with asyncio.timeout(seconds):
            while line not in self._seen:
                self._seen.append(await self._lines.get())
        self._seen.remove(line)

    def say(self, line: str) -> None:
        self._writer.write(f"{line}\n".encode())


@dataclass
class Running:
    process: asyncio.subprocess.Process
    addresses: dict
    channel: grpc.aio.Channel
    control: Control
    folder: Path

    def one(self, words: str, **options) -> grpc.aio.UnaryUnaryCall:
        method = self.channel.unary_unary(
            "/i2s.test.Echo/One", StringValue.SerializeToString, StringValue.FromString
        )
        return method(StringValue(value=words), **options)

    def many(self) -> grpc.aio.StreamStreamCall:
        return self.channel.stream_stream(
            "/i2s.test.Echo/Many", StringValue.SerializeToString, StringValue.FromString
        )()

    def raw(self, payload: bytes, **options) -> grpc.aio.UnaryUnaryCall:
        return self.channel.unary_unary("/i2s.test.Echo/One")(payload, **options)

    async def health(self, service: str = "") -> str:
        stub = health_pb2_grpc.HealthStub(self.channel)
        answer = await stub.Check(health_pb2.HealthCheckRequest(service=service))
        return health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status)

    async def healthy(self, wanted: str) -> None:
        """Wait for a health by watching it."""
        stub = health_pb2_grpc.HealthStub(self.channel)
        watch = stub.Watch(health_pb2.HealthCheckRequest(), wait_for_ready=True, timeout=PATIENCE)
        async for update in watch:
            if health_pb2.HealthCheckResponse.ServingStatus.Name(update.status) == wanted:
                watch.cancel()
                return

    async def ended(self) -> int:
        return await asyncio.wait_for(self.process.wait(), PATIENCE)

    async def scrape(self) -> str:
        """Return what Prometheus would see."""
        url = f"http://{self.addresses['metrics_address']}/metrics"
        with await asyncio.to_thread(urllib.request.urlopen, url) as answer:
            return answer.read().decode()

    async def metric_is(self, name: str, wanted: float) -> None:
        """Scrape until the sum of a series reaches a value; a scrape is the only way to see it."""
        async with asyncio.timeout(PATIENCE):
            while True:
                lines = [line for line in (await self.scrape()).splitlines() if line.startswith(name + "{")]
                if sum(float(line.rpartition(" ")[2]) for line in lines) >= wanted:
                    return

    def log(self) -> list[dict]:
        return [json.loads(line) for line in (self.folder / "log").read_text().splitlines()]


async def wait_until_serving(running: Running, tls: bool) -> None:
    if not tls:
        await running.healthy("SERVING")
        return
    async with grpc.aio.insecure_channel(running.addresses["health_address"]) as probe:
        await replace(running, channel=probe).healthy("SERVING")


@pytest.fixture
def control_folder() -> Iterator[Path]:
    """A folder that other users pass through; those of pytest are closed to them."""
    with tempfile.TemporaryDirectory(prefix="i2s-control-") as name:
        Path(name).chmod(0o711)
        yield Path(name)


@pytest.fixture
def start(tmp_path, control_folder):
    """Start the echo service as a process; ended with the test."""

    @asynccontextmanager
    async def started(
        *options: str, go: bool = True, tls: bool = False, **environment: str
    ) -> AsyncIterator[Running]:
        announce = tmp_path / "announce"
        arguments = ("--listen", "127.0.0.1:0", "--announce", announce, "--metrics-listen", "127.0.0.1:0")
        with (tmp_path / "log").open("ab") as log:
            async with Control(control_folder) as control:
                process = await asyncio.create_subprocess_exec(
                    *(sys.executable, ECHO, "serve", *arguments, "--control", control.path, *options),
                    stderr=log,
                    env={**os.environ, **environment},
                )
                try:
                    await control.hears("open")
                    addresses = json.loads(announce.read_text())
                    async with grpc.aio.insecure_channel(addresses["address"]) as channel:
                        running = Running(process, addresses, channel, control, tmp_path)
                        if go:
                            control.say("go")
                            await wait_until_serving(running, tls)
                        yield running
                finally:
                    if process.returncode is None:
                        process.kill()
                    await process.wait()

    return started


@pytest.fixture
def command():
    """Run the echo service's command line to its end: exit code, standard output, standard error."""

    async def ran(*arguments: str, **environment: str) -> tuple[int, str, str]:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, ECHO, *arguments),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={**os.environ, **environment},
        )
        out, error = await asyncio.wait_for(process.communicate(), PATIENCE)
        return process.returncode, out.decode(), error.decode()

    return ran
