"""A service as a process of its own, and what the kernel says of a process."""

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
        return [one for one in all_lines(self.log) if one["message"] == message]


def all_lines(log: Path) -> list[dict[str, object]]:
    """Return the lines that a service has logged so far."""
    return [json.loads(one) for one in log.read_text().splitlines() if one.startswith("{")]


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
        module: Its package, such as "i2s_render_html".
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


def statuses(pid: int) -> list[dict[str, str]]:
    """Return what the kernel says of each thread of a process: the fields of /proc/PID/task/TID/status.

    Threads that end meanwhile are left out.

    Raises:
        OSError: The process has ended.
    """
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(OSError):
            lines = [line.partition(":") for line in (task / "status").read_text().splitlines()]
            found.append({name: value.strip() for name, _, value in lines})
    return found


def privileges_of(pid: int) -> list[str]:
    """Return what a process could still do as one that is privileged; empty for nothing, or if it ended."""
    try:
        found = statuses(pid)
    except OSError:
        return []
    wrong = []
    for status in found:
        who = f"{status['Name']} {status['Pid']}"
        if "0" in status["Uid"].split() or "0" in status["Gid"].split():
            wrong.append(f"{who}: uid {status['Uid']}, gid {status['Gid']}")
        wrong += restrictions_missing_of(status, who)
    return wrong


def restrictions_missing_of(status: Mapping[str, str], who: str) -> list[str]:
    """Return which capabilities a thread has, and which restrictions it lacks."""
    wrong = [f"{who}: {name} {status[name]}" for name in _CAPABILITIES if int(status[name], 16) != 0]
    if status["NoNewPrivs"] != "1":
        wrong.append(f"{who}: may gain privileges by executing programs")
    if status["Seccomp"] != "2":
        wrong.append(f"{who}: is under no system call filter")
    return wrong


_CAPABILITIES = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")
