"""What a killed service leaves in the temporary folder is removed by the next one, and no more than that."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import grpc.aio
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from i2s_chassis.contract.below import below

pytestmark = [pytest.mark.integration, pytest.mark.timeout(300)]

_SERVE = [sys.executable, "-m", "i2s_render_html", "serve", "--listen", "127.0.0.1:0", "--slots", "1"]
_OPTIONS = ["--jekyll-processes", "0", "--jail-uid-base", "45300"]
_START_SECONDS = 120


@pytest.fixture
def temporary(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A temporary folder that the users of jobs can reach, and that of the service can write to."""
    command = ["mktemp", "-d", "--tmpdir=/tmp", "left-behind-XXXXXX"]
    folder = Path(subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip())
    folder.chmod(0o1777)
    yield folder
    folder.rmdir()


@contextmanager
def service(temporary: Path, folder: Path) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """A running service, and what it has logged until it served."""
    folder.mkdir()
    announcement, log = folder / "address.json", folder / "log"
    environment = {**os.environ, "TMPDIR": str(temporary)}
    command = [*_SERVE, *_OPTIONS, "--announce", str(announcement)]
    with log.open("wb") as stderr, subprocess.Popen(command, stderr=stderr, env=environment) as process:
        asyncio.run(_serving(process, announcement, log))
        yield process, log.read_text()
        process.send_signal(signal.SIGTERM)


async def _serving(process: subprocess.Popen[bytes], announcement: Path, log: Path) -> None:
    while not announcement.exists():
        assert process.poll() is None, log.read_text()
        await asyncio.sleep(0.02)
    address = json.loads(announcement.read_text())["address"]
    async with grpc.aio.insecure_channel(address) as channel:
        watching = health_pb2_grpc.HealthStub(channel).Watch(
            health_pb2.HealthCheckRequest(), timeout=_START_SECONDS
        )
        async for answer in watching:
            if answer.status == health_pb2.HealthCheckResponse.SERVING:
                return


def test_folders_of_a_killed_service_go_and_those_of_a_running_one_stay(
    temporary: Path, tmp_path: Path
) -> None:
    with service(temporary, tmp_path / "first") as (process, _):
        for one in [process.pid, *(one.pid for one in below(process.pid))]:
            with suppress(ProcessLookupError):  # some end as soon as the service is gone
                os.kill(one, signal.SIGKILL)
        process.wait()
    left = set(temporary.iterdir())
    assert {path.name.rsplit("-", 1)[0] for path in left} == {"i2s-html", "i2s-jail"}
    assert any(path.name.startswith("playwright") for path in temporary.glob("i2s-html-*/*"))

    with service(temporary, tmp_path / "second") as (_, log):
        assert all(str(path) in log for path in left)
        mine = set(temporary.iterdir())
        assert mine
        assert not left & mine
        environment = {**os.environ, "TMPDIR": str(temporary)}
        command = [sys.executable, "-m", "i2s_render_html", "clean"]
        cleaned = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
        assert cleaned.stdout == ""
        assert set(temporary.iterdir()) == mine
    assert list(temporary.iterdir()) == []
