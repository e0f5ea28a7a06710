"""A render service under attack: its process, and what must be as before after each attack."""

import asyncio
import contextlib
import json
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import grpc
import grpc.aio
import pytest_asyncio
from grpc_health.v1 import health_pb2, health_pb2_grpc

from i2s.render.v1 import render_pb2 as pb
from i2s.render.v1.render_pb2_grpc import RenderServiceStub
from latex_state import lay_out_state

MIB = 1024 * 1024
RENDER = "/i2s.render.v1.RenderService/Render"
RENDER_STREAM = "/i2s.render.v1.RenderService/RenderStream"
SLOTS, QUEUE, REQUEST_MIB = 2, 16, 12
START_SECONDS, ANSWER_SECONDS = 600, 600  # bounds on what hangs, for machines of any speed
IDLE_SECONDS = 8  # within which engines are gone; an endless job would go on for 10 CPU seconds
PREAMBLE = "\\documentclass{article}\n\\usepackage{xcolor}\n"
ENDLESS = "\\loop\\iftrue\\repeat"


def document(body, preamble=PREAMBLE):
    return f"{preamble}\\begin{{document}}\n{body}\n\\end{{document}}\n".encode()


def request(body="Good $x$", **given):
    return pb.RenderRequest(latex=pb.LatexSource(document=document(body)), **given)


GOOD = request("Good \\textcolor{red}{$\\sum_i x_i$}")


async def silence(end):
    """Yield nothing until this event."""
    await end.wait()
    return
    yield


class Target:
    """A service process, and what must be as before after each attack."""

    def __init__(self, pid, address):
        self.pid, self.address = pid, address
        self.channel = channel = grpc.aio.insecure_channel(address)
        self.stub, self.health = RenderServiceStub(channel), health_pb2_grpc.HealthStub(channel)
        self.good = None

    async def pictures(self, wanted):
        answer = await self.stub.Render(wanted, timeout=ANSWER_SECONDS, wait_for_ready=True)
        assert answer.verdict == pb.VERDICT_RENDERED
        return [picture.png for picture in answer.pictures]

    async def serves(self):
        """Wait until its health is SERVING."""
        async for answer in self.health.Watch(health_pb2.HealthCheckRequest(), timeout=START_SECONDS):
            if answer.status == health_pb2.HealthCheckResponse.SERVING:
                return

    async def check(self):
        state = await self.health.Check(health_pb2.HealthCheckRequest(), timeout=ANSWER_SECONDS)
        assert state.status == health_pb2.HealthCheckResponse.SERVING
        assert await self.pictures(GOOD) == self.good
        assert await self.becomes_idle()

    async def becomes_idle(self):
        """Whether no engine runs any more, soon."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(IDLE_SECONDS):
                while self.engines():
                    await asyncio.sleep(0.01)
        return not self.engines()

    async def runs_an_engine(self):
        async with asyncio.timeout(ANSWER_SECONDS):
            while not self.engines():
                await asyncio.sleep(0.01)

    def engines(self):
        """Living processes below the service that are neither its own nor a sandbox."""
        own = {"bwrap", "cat", Path(sys.executable).name, "python", "python3"}
        found, pending = [], [self.pid]
        while pending:
            for pid in _children(pending.pop()):
                pending.append(pid)
                with contextlib.suppress(OSError):
                    name, state = _name_and_state(pid)
                    found += [pid] if state != "Z" and name not in own else []
        return found

    def resident_bytes(self):
        return int(Path(f"/proc/{self.pid}/statm").read_text().split()[1]) * 4096


def _children(pid):
    with contextlib.suppress(OSError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            yield from map(int, (thread / "children").read_text().split())


def _name_and_state(pid):
    before, _, after = Path(f"/proc/{pid}/stat").read_text().rpartition(")")
    return before.partition("(")[2], after.split()[0]


@contextlib.asynccontextmanager
async def serving(*options):
    """Start a renderer; yields its process, its announced address, and its log."""
    with tempfile.TemporaryDirectory(prefix="i2s-wire-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        lay_out_state(folder)
        preamble, announcement = folder / "wire.tex", folder / "address.json"
        preamble.write_text(PREAMBLE)
        command = [sys.executable, "-m", "i2s_render_latex", "serve", "--listen", "127.0.0.1:0"]
        command += ["--announce", announcement, "--state-dir", folder, "--preamble", preamble]
        command += ["--slots", str(SLOTS), "--queue", str(QUEUE)]
        command += ["--max-request-bytes", f"{REQUEST_MIB}MiB", "--jail-uid-base", "62000", *options]
        log = folder / "log"
        with log.open("wb") as errors, subprocess.Popen(command, stderr=errors) as process:
            try:
                yield process, await _announced(process, announcement, log), log
            finally:
                process.send_signal(signal.SIGTERM)
                assert process.wait(30) == 0, log.read_text()[-2000:]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def service():
    async with serving() as (process, address, _):
        target = Target(process.pid, address)
        try:
            await target.serves()
            target.good = await target.pictures(GOOD)
            yield target
        finally:
            await target.channel.close()


async def _announced(process, announcement, log):
    async with asyncio.timeout(START_SECONDS):
        while not announcement.exists():
            assert process.poll() is None, log.read_text()
            await asyncio.sleep(0.05)
    return json.loads(announcement.read_text())["address"]
