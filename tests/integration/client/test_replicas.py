"""Two LaTeX renderers behind one name: calls go to both, and the death of one costs no call."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from i2s_client import AsyncRenderClient, RenderClient, RetryPolicy
from i2s_wire.render.rendering import Rendering, Verdict
from i2s_wire.render.request import LatexSource, RenderRequest

pytestmark = pytest.mark.integration

RENDERS, FORMULAS, IN_FLIGHT = 200, 10, 8
START_SECONDS = 240
#: The class minimal is compiled cold in little time; what is asked here is whether answers come.
DOCUMENT = r"\documentclass{{minimal}}\begin{{document}}$\sqrt{{x_{{{0}}}}}+{0}$\end{{document}}"


@dataclass
class Replica:
    """A renderer that this test started, and its log."""

    process: subprocess.Popen[bytes]
    log: Path
    announcement: Path

    @property
    def address(self) -> str:
        return str(json.loads(self.announcement.read_text())["address"])

    def renders(self) -> Counter[str]:
        """How many calls of Render ended so far, by status."""
        entries = [
            json.loads(line) for line in self.log.read_text().splitlines(keepends=True) if line[-1] == "\n"
        ]
        return Counter(
            entry["status"]
            for entry in entries
            if entry["message"] == "call" and entry["method"].endswith("Render")
        )


def start(folder: Path, *, uid_base: int) -> Replica:
    folder.mkdir()
    replica_log, announcement = folder / "log", folder / "announced"
    command = [sys.executable, "-m", "i2s_render_latex", "serve", "--listen", "127.0.0.1:0", "--slots", "2"]
    command += ["--announce", announcement, "--jail-uid-base", str(uid_base), "--drain-seconds", "60"]
    command += ["--max-connection-age-seconds", "1", "--max-connection-age-grace-seconds", "60"]
    with replica_log.open("wb") as log:
        process = subprocess.Popen(command, stderr=log)
    return Replica(process, replica_log, announcement)


async def until_serving(replica: Replica) -> None:
    async with asyncio.timeout(START_SECONDS):
        while not replica.announcement.exists():
            assert replica.process.poll() is None, replica.log.read_text()
            await asyncio.sleep(0.05)
        async with AsyncRenderClient(replica.address) as client:
            await client.wait_ready(START_SECONDS)


@pytest.fixture
async def replicas(tmp_path: Path):
    """Two renderers; the tests may end them."""
    both: list[Replica] = []
    try:
        both += [start(tmp_path / str(number), uid_base=56_000 + 1000 * number) for number in (1, 2)]
        await asyncio.gather(*(until_serving(one) for one in both))
        yield both
    finally:
        for one in both:
            if one.process.poll() is None:
                one.process.send_signal(signal.SIGTERM)
        for one in both:
            one.process.wait(30)


def name_of(replicas: list[Replica]) -> str:
    """One name for both: what a resolver makes of that of a headless Service."""
    return "ipv4:" + ",".join(replica.address for replica in replicas)


def request(number: int) -> RenderRequest:
    document = DOCUMENT.format(number % FORMULAS)
    return RenderRequest(LatexSource(document.encode(), {}), id=f"render-{number}")


async def all_rendered(
    client: AsyncRenderClient, numbers: range, at: dict[int, asyncio.Event]
) -> list[Rendering]:
    """Render at most IN_FLIGHT at a time; sets the event of a count once so many were answered."""
    room, answered = asyncio.Semaphore(IN_FLIGHT), 0

    async def one(number: int) -> Rendering:
        nonlocal answered
        async with room:
            rendering = await client.render(request(number))
        answered += 1
        if answered in at:
            at[answered].set()
        return rendering

    return await asyncio.gather(*(one(number) for number in numbers))


def pictures(renderings: list[Rendering]) -> list[bytes]:
    assert {rendering.verdict for rendering in renderings} == {Verdict.RENDERED}
    return [rendering.pictures[0].png for rendering in renderings]


@pytest.mark.nightly(instead="one that drains, plain code, and a killed container in the container suite")
async def test_one_of_two_killed_in_the_middle_of_200_renders_costs_none(replicas: list[Replica]) -> None:
    survivor, victim = replicas
    async with AsyncRenderClient(survivor.address) as alone:
        expected = pictures(await all_rendered(alone, range(FORMULAS), {}))
    assert len(set(expected)) == FORMULAS
    before = survivor.renders()

    middle = {RENDERS // 2: asyncio.Event()}
    async with AsyncRenderClient(name_of(replicas)) as client:
        under_way = asyncio.create_task(all_rendered(client, range(RENDERS), middle))
        await middle[RENDERS // 2].wait()
        victim.process.kill()
        renderings = await under_way

    wrong = [number for number, png in enumerate(pictures(renderings)) if png != expected[number % FORMULAS]]
    assert wrong == []
    assert victim.process.wait(10) == -signal.SIGKILL
    assert victim.renders()["OK"] >= RENDERS // 8
    assert (survivor.renders() - before)["OK"] >= RENDERS // 2


async def test_one_of_two_that_drains_costs_no_call_and_no_time(replicas: list[Replica]) -> None:
    leaving, staying = replicas
    middle = {10: asyncio.Event()}
    # The policy would wait longer than the test may take: only gRPC itself can help, which hears of the
    # drain by watching the health of each replica, and makes what came too late again.
    impatient = RetryPolicy(total_seconds=1200.0, first_pause=600.0, longest_pause=600.0)
    async with AsyncRenderClient(name_of(replicas), retry=impatient) as client:
        under_way = asyncio.create_task(all_rendered(client, range(30), middle))
        await middle[10].wait()
        leaving.process.send_signal(signal.SIGTERM)
        assert len(pictures(await under_way)) == 30
    assert leaving.process.wait(30) == 0
    assert leaving.renders()["OK"] > 0
    assert staying.renders()["OK"] > 0


async def test_old_connections_are_replaced_under_load_and_no_call_is_lost(replicas: list[Replica]) -> None:
    connections = 0

    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while piece := await reader.read(65536):
            writer.write(piece)
            await writer.drain()
        writer.close()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        host, _, port = replicas[0].address.rpartition(":")
        there, back = await asyncio.open_connection(host, int(port))
        await asyncio.gather(carry(reader, back), carry(there, writer), return_exceptions=True)

    renderings: list[Rendering] = []
    once = RetryPolicy(total_seconds=1200.0, first_pause=600.0, longest_pause=600.0)
    async with await asyncio.start_server(connected, "127.0.0.1", 0) as between:
        address = f"127.0.0.1:{between.sockets[0].getsockname()[1]}"
        async with AsyncRenderClient(address, retry=once) as client:
            while connections < 4:
                renderings += await all_rendered(client, range(FORMULAS), {})
    assert len(set(pictures(renderings))) == FORMULAS


async def test_plain_code_survives_it_too(replicas: list[Replica]) -> None:
    def calls() -> Iterator[bytes]:
        with RenderClient(name_of(replicas)) as client:
            for number in range(10):
                if number == 6:
                    replicas[0].process.kill()
                yield from pictures([client.render(request(0))])

    assert len(set(await asyncio.to_thread(lambda: list(calls())))) == 1
    assert min(replica.renders()["OK"] for replica in replicas) >= 2
