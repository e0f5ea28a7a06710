"""How long callers wait for a service that has fewer places than they are: real gRPC, real processes.

    python -m benchmarks.fairness

Starts the example service of services/chassis/README.md, whose jobs sleep, and measures with the SDK's
retries 64 equal clients, one client alone, and one beside 120 greedy connections: with another token, of the
same address without tokens, and of the same address if each greedy connection makes one call at a time and
comes back when it is asked to, as the measured client does. Prints a table. The exit code is 1 if the longest
wait of the equal clients is more than 3 times their median (--most-ratio), or a call of any row failed.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import math
import re
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Coroutine, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import grpc
import grpc.aio

from benchmarks.harness.services import serving
from i2s.render.v1 import render_pb2 as pb
from i2s.render.v1.render_pb2_grpc import RenderServiceStub
from i2s_client.connection import AsyncConnection
from i2s_client.service_table import RENDER_WIRE_NAME
from i2s_sdk.errors import I2SError
from i2s_sdk.stack.command import ServiceCommand

if TYPE_CHECKING:
    from i2s_client.credentials import Token

README = Path(__file__).parents[2] / "services" / "chassis" / "README.md"
REQUEST = pb.RenderRequest(latex=pb.LatexSource(document=b"x"))


def write_example(folder: Path) -> None:
    """Write the files of the example service."""
    for name, text in re.findall(r"```python\n# (\w+\.py)\n(.*?)```", README.read_text(), re.DOTALL):
        (folder / name).write_text(text)


@contextlib.asynccontextmanager
async def service(job_seconds: float, *options: str) -> AsyncIterator[str]:
    """Start the service, with 2 slots and a queue of 8, and yield its address."""
    with tempfile.TemporaryDirectory() as folder:
        write_example(Path(folder))
        words = (
            "--slots",
            "2",
            "--queue",
            "8",
            "--pause",
            str(job_seconds),
            *options,
            "--log-level",
            "error",
        )
        program = (sys.executable, folder, "serve")
        async with serving(
            ServiceCommand("example", RENDER_WIRE_NAME, words, program), Path(folder)
        ) as served:
            yield served.child.address


class _Connection(AsyncConnection):
    wire_name = RENDER_WIRE_NAME


async def client(
    address: str, calls: int, latencies: list[float], failures: list[str], token: Token | None = None
) -> None:
    """Make calls one after another as the SDK makes them."""
    async with _Connection(address, token=token) as connection:
        stub = RenderServiceStub(connection.channel)
        for _ in range(calls):
            began = time.monotonic()
            try:
                await connection.call(stub.Render, "Render", REQUEST)
                latencies.append(time.monotonic() - began)
            except I2SError as error:
                failures.append(str(error)[:120])


async def greedy(address: str, metadata: tuple[tuple[str, str], ...]) -> None:
    """Hold four calls open on one connection for ever; come back at once when sent away."""
    options = (("grpc.use_local_subchannel_pool", 1),)
    async with grpc.aio.insecure_channel(address, options) as channel:
        stub = RenderServiceStub(channel)

        async def loop() -> None:
            while True:
                with contextlib.suppress(grpc.aio.AioRpcError):
                    await stub.Render(REQUEST, metadata=metadata)
                await asyncio.sleep(0.25)

        await asyncio.gather(*(loop() for _ in range(4)))


@dataclass(frozen=True)
class Row:
    """What became of the calls of the measured clients."""

    name: str  #: Name of the clients.
    latencies: Sequence[float]  #: Seconds of each call that was answered, with all its attempts.
    failures: Sequence[str]  #: Messages of the calls that were not.
    seconds: float  #: Seconds until all were over.

    @property
    def ratio(self) -> float:
        """The longest wait, in medians; infinite if no call was answered."""
        return max(self.latencies) / statistics.median(self.latencies) if self.latencies else math.inf

    def __str__(self) -> str:
        times = ["", "", ""]
        if self.latencies:
            middle, worst = statistics.median(self.latencies), max(self.latencies)
            times = [f"{middle:.2f}", f"{worst:.2f}", f"{self.ratio:.1f}"]
        cells = [self.name, len(self.latencies), len(self.failures), *times, f"{self.seconds:.1f}"]
        return f"| {' | '.join(map(str, cells))} |"


async def measure(given: argparse.Namespace) -> tuple[Row, list[Row]]:
    """Print the table; returns the row of equal clients, and the others."""
    print("| clients | calls | failed | median s | maximum s | ratio | all s |")
    print("|---|---|---|---|---|---|---|")
    calls, job_seconds, attackers = given.calls, given.job_seconds, given.attackers
    async with service(job_seconds) as address:
        equal = await together(f"{given.clients} equal", address, calls, given.clients)
    async with service(job_seconds) as address:
        others = [await together("1 alone", address, calls, 1)]
    if not given.no_names:
        with tempfile.TemporaryDirectory() as folder:
            options, mine, theirs = named(Path(folder))
            async with service(job_seconds, *options) as address:
                attack = [greedy(address, theirs) for _ in range(attackers)]
                name = f"1 beside {attackers} greedy, with tokens"
                others.append(await beside(name, address, attack, calls, mine))
    async with service(job_seconds) as address:
        attack = [greedy(address, ()) for _ in range(attackers)]
        name = f"1 beside {attackers} greedy of its address"
        others.append(await beside(name, address, attack, calls, None))
    async with service(job_seconds) as address:
        attack = [client(address, 10**6, [], []) for _ in range(attackers)]
        name = f"1 beside {attackers} like it of its address"
        others.append(await beside(name, address, attack, calls, None))
    return equal, others


async def together(name: str, address: str, calls: int, clients: int, token: Token | None = None) -> Row:
    """Print the row of clients that call at the same time, and return it."""
    latencies: list[float] = []
    failures: list[str] = []
    began = time.monotonic()
    await asyncio.gather(*(client(address, calls, latencies, failures, token) for _ in range(clients)))
    row = Row(name, latencies, failures, time.monotonic() - began)
    print(row, flush=True)
    return row


async def beside(
    name: str,
    address: str,
    attack: Sequence[Coroutine[None, None, None]],
    calls: int,
    token: Token | None,
) -> Row:
    """Print the row of one client that calls while others do, and return it."""
    tasks = [asyncio.create_task(one) for one in attack]
    await asyncio.sleep(5)
    row = await together(name, address, calls, 1, token)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return row


def named(folder: Path) -> tuple[tuple[str, ...], Token, tuple[tuple[str, str], ...]]:
    """Return options of a service with two callers, the credentials of one, and the metadata of the other."""
    from i2s_chassis.callers.access import new_token, token_line
    from i2s_client.credentials import Token

    modest, greedy = new_token(), new_token()
    entries = {"modest": modest, "greedy": greedy}
    text = "".join(f'[callers.{name}]\ntokens = ["{token_line(entry)}"]\n' for name, entry in entries.items())
    (folder / "access.toml").write_text(text)
    options = ("--access-file", str(folder / "access.toml"))
    return options, Token(modest, ""), (("authorization", f"Bearer {greedy}"),)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--calls", type=int, default=3, help="of each client")
    parser.add_argument("--job-seconds", type=float, default=0.235)
    parser.add_argument("--attackers", type=int, default=120, help="connections, four calls on each")
    parser.add_argument("--no-names", action="store_true", help="no row with tokens; for older versions")
    parser.add_argument("--most-ratio", type=float, default=3.0, help="of the equal clients")
    given = parser.parse_args()
    equal, others = asyncio.run(measure(given))
    if equal.ratio > given.most_ratio:
        print(
            f"one of {given.clients} equal clients waited {equal.ratio:.1f} times the median", file=sys.stderr
        )
    failed = [message for row in (equal, *others) for message in row.failures]
    if failed:
        print(f"{len(failed)} calls failed: {failed[0]}", file=sys.stderr)
    sys.exit(equal.ratio > given.most_ratio or bool(failed))
