"""The real service: its command in a process of its own, on a port that the system chooses."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from i2s.metrics.v1 import metrics_pb2 as pb
from i2s.metrics.v1.metrics_pb2_grpc import MetricsServiceStub
from i2s_metrics.errors import WeightsError
from i2s_metrics.model import Network
from i2s_metrics.networks.files import Places, find
from i2s_metrics.settings import MetricsSettings

DATA = Path(__file__).parents[2] / "fidelity" / "data"
PATIENCE = 60


@dataclass
class Running:
    """A service that serves, and how to reach it."""

    process: asyncio.subprocess.Process
    address: str
    channel: grpc.aio.Channel
    stub: MetricsServiceStub

    def workers(self) -> set[int]:
        """Processes that compare images now; where networks run, theirs is among them."""
        return {
            worker
            for child in children(self.process.pid)
            if b"multiprocessing.forkserver" in Path(f"/proc/{child}/cmdline").read_bytes()
            for worker in children(child)
        }

    async def stop(self) -> int:
        """Ask the service to end; return its exit code."""
        self.process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(PATIENCE):
            return await self.process.wait()


def children(parent: int) -> set[int]:
    found: set[int] = set()
    for task in Path(f"/proc/{parent}/task").iterdir():
        found |= {int(child) for child in (task / "children").read_text().split()}
    return found


@asynccontextmanager
async def running(folder: Path, *options: str) -> AsyncIterator[Running]:
    """Run the service as long as the block lasts; without weights of networks where no option names them."""
    if "--weights-dir" not in options:
        options = ("--weights-dir", str(folder / "none"), "--hub-dir", str(folder / "none"), *options)
    announcement = folder / "announcement.json"
    announcement.unlink(missing_ok=True)
    command = [sys.executable, "-m", "i2s_metrics", "serve", "--listen", "127.0.0.1:0", "--announce"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("I2S_")}
    with (folder / "log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            *command, announcement, *options, stderr=log, env=environment, start_new_session=True
        )
    try:
        address = await _address(announcement, process, folder / "log")
        async with grpc.aio.insecure_channel(address) as channel:
            await _serving(channel)
            yield Running(process, address, channel, MetricsServiceStub(channel))
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def _address(announcement: Path, process: asyncio.subprocess.Process, log: Path) -> str:
    async with asyncio.timeout(PATIENCE):
        while not announcement.exists():
            assert process.returncode is None, log.read_text()
            await asyncio.sleep(0.02)
    return json.loads(announcement.read_text())["address"]


async def _serving(channel: grpc.aio.Channel) -> None:
    request = health_pb2.HealthCheckRequest(service="i2s.metrics.v1.MetricsService")
    watch = health_pb2_grpc.HealthStub(channel).Watch(request, timeout=PATIENCE, wait_for_ready=True)
    async for answer in watch:
        if answer.status == health_pb2.HealthCheckResponse.SERVING:
            return


@pytest.fixture(scope="session")
def weights_dir() -> Path:
    """The folder of this machine's weights, with VGG16's in it; without them the test is skipped."""
    pytest.importorskip("torch", reason="NOT TESTED: lpips. The networks are an extra: i2s-metrics[networks]")
    settings = MetricsSettings.load({})
    try:
        find(Network.VGG16, Places(settings.weights_dir, settings.hub_dir))
    except WeightsError as error:
        pytest.skip(f"NOT TESTED: lpips {error}")
    return settings.weights_dir


@pytest.fixture(scope="session")
def serve_in() -> Callable[..., AbstractAsyncContextManager[Running]]:
    """Runs the service in a folder, with the options given."""
    return running


@pytest.fixture
def serve(tmp_path) -> Callable[..., AbstractAsyncContextManager[Running]]:
    """Runs the service with the options given."""
    return lambda *options: running(tmp_path, *options)


@pytest.fixture(scope="session")
def image() -> Callable[[str], pb.Image]:
    """An image of the recorded set, encoded."""
    return lambda name: pb.Image(data=(DATA / name).read_bytes())


@pytest.fixture(scope="session")
def rows() -> list[dict]:
    """The recorded values of the reference implementation."""
    return json.loads((DATA / "image_metrics.json").read_text(encoding="utf-8"))["rows"]
