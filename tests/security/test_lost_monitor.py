"""A service of which the monitor process is killed from outside ends, so that it is started again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from i2s.render.v1 import render_pb2 as pb
from i2s.render.v1.render_pb2_grpc import RenderServiceStub
from i2s_chassis.contract.below import below
from i2s_chassis.contract.process import START_SECONDS, all_lines, wait_until_serving

pytestmark = [pytest.mark.security, pytest.mark.timeout(400)]

#: Seconds after which a test is ended that hangs; its jobs and services end by themselves.
_END_SECONDS = 300
_MONITOR = "i2s_chassis.jail.monitor"
#: Computes until its limit.
_LONG = rb"\documentclass{article}\begin{document}\loop\iftrue\repeat\end{document}"


@pytest.fixture
def service() -> Iterator[tuple[subprocess.Popen[bytes], str, Path]]:
    """A renderer, with its address and its log."""
    with tempfile.TemporaryDirectory(prefix="i2s-monitor-") as name:
        folder = Path(name)
        announcement, log = folder / "announcement", folder / "log"
        command = [
            sys.executable,
            "-m",
            "i2s_render_latex",
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--slots",
            "1",
            "--drain-seconds",
            str(_END_SECONDS),
        ]
        with log.open("wb") as stderr:
            process = subprocess.Popen([*command, "--announce", str(announcement)], stderr=stderr)
        try:
            address, _ = wait_until_serving(process, announcement, log)
            yield process, address, log
        finally:
            process.kill()
            process.wait()


def _monitor_and_spawner(pid: int) -> tuple[int, int]:
    """Return the processes of the jail that lead to those of cells."""
    monitor, spawner, *_ = (one.pid for one in below(pid) if _MONITOR in one.command)
    return monitor, spawner


def test_it_is_not_serving_with_a_reason_and_ends(service) -> None:
    process, address, log = service
    monitor, spawner = _monitor_and_spawner(process.pid)
    with grpc.insecure_channel(address) as channel:
        render = RenderServiceStub(channel).Render.future(
            pb.RenderRequest(latex=pb.LatexSource(document=_LONG))
        )
        watch = health_pb2_grpc.HealthStub(channel).Watch(
            health_pb2.HealthCheckRequest(), timeout=START_SECONDS
        )
        assert next(watch).status == health_pb2.HealthCheckResponse.SERVING
        _wait_until(lambda: any("pdflatex" in one.command for one in below(process.pid)), "TeX does not run")
        os.kill(monitor, signal.SIGKILL)
        assert next(watch).status == health_pb2.HealthCheckResponse.NOT_SERVING
        watch.cancel()
        # What runs is finished: spawner and cells are still there.
        assert render.result(timeout=_END_SECONDS).verdict == pb.VERDICT_TIME_LIMIT
    assert process.wait(_END_SECONDS) == os.EX_TEMPFAIL
    (line,) = (one for one in all_lines(log) if one["level"] == "error")
    assert "the monitor process of the jail was lost" in str(line["message"])
    _wait_for_end_of(spawner)


def test_a_lost_spawner_alone_is_replaced(service) -> None:
    process, address, _ = service
    _, spawner = _monitor_and_spawner(process.pid)
    os.kill(spawner, signal.SIGKILL)
    _wait_for_end_of(spawner)
    source = rb"\documentclass{article}\begin{document}x\end{document}"
    with grpc.insecure_channel(address) as channel:
        rendering = RenderServiceStub(channel).Render(pb.RenderRequest(latex=pb.LatexSource(document=source)))
    assert rendering.verdict == pb.VERDICT_RENDERED
    assert process.poll() is None


def _wait_for_end_of(pid: int) -> None:
    _wait_until(lambda: not Path(f"/proc/{pid}").exists(), f"process {pid} is left")


def _wait_until(condition: Callable[[], bool], otherwise: str) -> None:
    deadline = time.monotonic() + _END_SECONDS
    while not condition():
        assert time.monotonic() < deadline, otherwise
        time.sleep(0.02)
