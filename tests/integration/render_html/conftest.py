"""The whole service as a process, with two browsers and Jekyll."""

import asyncio
import json
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import grpc.aio
import pytest_asyncio
from grpc_health.v1 import health_pb2, health_pb2_grpc

from i2s.render.v1.render_pb2_grpc import RenderServiceStub

START_SECONDS = 120


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def started():
    """The client of a running service, and its pid."""
    with tempfile.TemporaryDirectory(prefix="i2s-html-test-") as folder:
        announcement, log = Path(folder, "address.json"), Path(folder, "log")
        command = [
            sys.executable,
            "-m",
            "i2s_render_html",
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--slots",
            "2",
        ]
        command += ["--announce", str(announcement), "--jail-uid-base", "45000", "--jail-tier", "namespace"]
        with log.open("wb") as stderr, subprocess.Popen(command, stderr=stderr) as process:
            while not announcement.exists():
                assert process.poll() is None, log.read_text()
                await asyncio.sleep(0.02)
            address = json.loads(announcement.read_text())["address"]
            options = [("grpc.max_receive_message_length", -1)]
            async with grpc.aio.insecure_channel(address, options=options) as channel:
                health = health_pb2_grpc.HealthStub(channel)
                async for answer in health.Watch(health_pb2.HealthCheckRequest(), timeout=START_SECONDS):
                    if answer.status == health_pb2.HealthCheckResponse.SERVING:
                        break
                yield RenderServiceStub(channel), process.pid
            process.send_signal(signal.SIGTERM)
            assert process.wait(40) == 0, log.read_text()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def service(started):
    return started[0]
