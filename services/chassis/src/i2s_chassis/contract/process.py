"""A service as a process of its own."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

START_SECONDS = 240


@dataclass(frozen=True)
class Started:
    """A service that serves.

    Attributes:
        process: Its process.
        address: Address of its gRPC server.
        log: Lines of its log so far.
        health: What it said of its health until it served.
    """

    process: subprocess.Popen[bytes]
    address: str
    log: Path
    health: tuple[int, ...] = ()

    @property
    def pid(self) -> int:
        """Number of the process."""
        return self.process.pid

    def lines(self, message: str) -> list[dict[str, object]]:
        """Return the lines of the log with a message."""
        return [line for line in all_lines(self.log) if line["message"] == message]


def all_lines(log: Path) -> list[dict[str, object]]:
    """Return the lines that a service has logged so far."""
    return [json.loads(line) for line in log.read_text().splitlines() if line.startswith("{")]


def wait_until_serving(
    process: subprocess.Popen[bytes], announcement: Path, log: Path
) -> tuple[str, tuple[int, ...]]:
    """Wait until a service serves; returns its address, and what it said of its health until then.

    A service with TLS needs a health address, which has none.
    """
    while not announcement.exists():
        assert process.poll() is None, log.read_text()
        time.sleep(0.02)
    announced = json.loads(announcement.read_text())
    address = announced["address"]
    with grpc.insecure_channel(announced["health_address"] or address) as channel:
        watch = health_pb2_grpc.HealthStub(channel).Watch(
            health_pb2.HealthCheckRequest(), timeout=START_SECONDS, wait_for_ready=True
        )
        health = []
        for one in watch:
            health.append(one.status)
            if one.status == health_pb2.HealthCheckResponse.SERVING:
                break
        assert health[-1:] == [health_pb2.HealthCheckResponse.SERVING], log.read_text()
    return address, tuple(health)


@contextmanager
def started(
    module: str, folder: Path, options: Sequence[str] = (), environment: Mapping[str, str] | None = None
) -> Iterator[Started]:
    """Start a service and wait until it serves; it drains at the end.

    Args:
        module: Its package, such as "i2s_documents".
        folder: Folder for its announcement and its log.
        options: Options of ``serve``.
        environment: Variables beside those of the tests.
    """
    announcement, log = folder / "announcement", folder / "log"
    command = [sys.executable, "-m", module, "serve", "--listen", "127.0.0.1:0", "--slots", "1"]
    command += ["--announce", str(announcement), *options]
    with (
        log.open("wb") as stderr,
        subprocess.Popen(command, stderr=stderr, env={**os.environ, **(environment or {})}) as process,
    ):
        try:
            address, health = wait_until_serving(process, announcement, log)
            yield Started(process, address, log, health)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)
    assert process.returncode == 0, log.read_text()
    assert not announcement.exists()


def processes_with(argument: str) -> list[Path]:
    """Return the command lines of processes that have an argument, or are called by its first 15 letters."""
    found = []
    for command in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            name = command.with_name("comm").read_text().rstrip("\n")
            if argument.encode() in command.read_bytes() or name == argument[:15]:
                found.append(command)
    return found
