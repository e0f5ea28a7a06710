"""How long a client of short jobs waits for render-python beside a flood of long ones of its own address.

    python -m benchmarks.fairness.floods

Starts render-python with two slots. Each connection of a flood makes one job of 2 CPU seconds after another
and comes back after 20 ms or 500 ms when it is refused, whatever the service asks for; ten connections are
fewer than the places and never refused. The measured client makes short jobs one after another as the SDK
makes them. Prints a table. The exit code is 1 if the client's longest wait is more than 3 times its median
(--most-ratio), or a call failed.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import statistics
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import grpc
import grpc.aio

from benchmarks.harness.services import serving
from i2s.render.v1 import render_pb2 as pb
from i2s.render.v1.render_pb2_grpc import RenderServiceStub
from i2s_client.connection import AsyncConnection
from i2s_client.service_table import RENDER_WIRE_NAME
from i2s_sdk.errors import I2SError
from i2s_sdk.stack.command import ServiceCommand

_LONG = b"""import time
while time.process_time() < 2:
    pass
import matplotlib.pyplot as plt
plt.plot([1, 2])
"""
_SHORT = b"import matplotlib.pyplot as plt\nplt.plot([1, 2])\n"
_SETTLE_SECONDS = 5.0


def _request(program: bytes) -> pb.RenderRequest:
    return pb.RenderRequest(python=pb.PythonSource(program=program))


class _Connection(AsyncConnection):
    wire_name = RENDER_WIRE_NAME


async def _flood(address: str, pause: float, outcomes: Counter[str]) -> None:
    """Make one long job after another on a connection of its own; come back after a pause if refused."""
    async with grpc.aio.insecure_channel(address, (("grpc.use_local_subchannel_pool", 1),)) as channel:
        stub = RenderServiceStub(channel)
        while True:
            try:
                await stub.Render(_request(_LONG))
                outcomes["done"] += 1
            except grpc.aio.AioRpcError as error:
                outcomes["refused" if error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED else "failed"] += 1
                await asyncio.sleep(pause)


def _cpu_seconds(pid: int) -> float:
    """Return the CPU time of the server's process, without those of its jobs."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def _measure(name: str, connections: int, pause: float, given: argparse.Namespace) -> bool:
    """Print the row of one flood; return whether the client was served as it should."""
    words = ("--slots", "2", "--queue", str(given.queue), "--log-level", "error")
    with tempfile.TemporaryDirectory() as folder:
        async with serving(ServiceCommand("render-python", RENDER_WIRE_NAME, words), Path(folder)) as served:
            address, outcomes = served.child.address, Counter[str]()
            tasks = [asyncio.create_task(_flood(address, pause, outcomes)) for _ in range(connections)]
            await asyncio.sleep(_SETTLE_SECONDS)
            before, began, first = _cpu_seconds(served.child.pid), time.monotonic(), outcomes["done"]
            latencies, failures = await _client(address, given.calls, began + given.seconds)
            seconds = time.monotonic() - began
            cpu, done = _cpu_seconds(served.child.pid) - before, outcomes["done"] - first
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
    median, most = statistics.median(latencies or [0.0]), max(latencies, default=float("inf"))
    seconds_of_first = f"{latencies[0]:.2f}" if latencies else ""
    cells = (
        name,
        len(latencies),
        failures,
        seconds_of_first,
        f"{median:.2f}",
        f"{most:.2f}",
        done,
        outcomes["refused"],
    )
    print(f"| {' | '.join(map(str, cells))} | {cpu:.1f} | {seconds:.0f} |", flush=True)
    return not failures and most <= given.most_ratio * median


async def _client(address: str, calls: int, end: float) -> tuple[list[float], int]:
    """Return the seconds of short jobs, one after another, and how many failed."""
    latencies: list[float] = []
    failures = 0
    async with _Connection(address, token=None) as connection:
        stub = RenderServiceStub(connection.channel)
        while len(latencies) < calls and time.monotonic() < end:
            began = time.monotonic()
            try:
                async with asyncio.timeout(end - began):
                    await connection.call(stub.Render, "Render", _request(_SHORT))
                latencies.append(time.monotonic() - began)
            except TimeoutError:
                break
            except I2SError:
                failures += 1
    return latencies, failures


async def _rows(given: argparse.Namespace) -> bool:
    print("| flood | calls | failed | first s | median s | maximum s | flood done | refused | CPU s | s |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    rows = {
        "none": (0, 0.0),
        "10 connections": (10, 0.02),
        "120 connections, after 20 ms": (120, 0.02),
        "120 connections, after 500 ms": (120, 0.5),
    }
    chosen = {name: row for name, row in rows.items() if given.only in name}
    return all([await _measure(name, number, pause, given) for name, (number, pause) in chosen.items()])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=20, help="of the measured client")
    parser.add_argument("--seconds", type=float, default=60.0, help="time for them")
    parser.add_argument("--queue", type=int, default=64)
    parser.add_argument("--only", default="", help="text in the names of the rows that are measured")
    parser.add_argument("--most-ratio", type=float, default=3.0)
    with contextlib.suppress(KeyboardInterrupt):
        sys.exit(not asyncio.run(_rows(parser.parse_args())))
