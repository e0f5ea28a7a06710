"""The health check of the images, against a server of gRPC itself."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
import pytest
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from i2s_client.service_table import OWN_SERVICES

IMAGES = Path(__file__).resolve().parents[3] / "deploy" / "images"
STATUS = health_pb2.HealthCheckResponse
SERVICES = sorted(OWN_SERVICES)


def check(address: str) -> tuple[int, str]:
    """Run the check as an image does: without site packages, so with the standard library alone."""
    command = [sys.executable, "-I", "-S", str(IMAGES / "health.py"), address]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    return ended.returncode, ended.stdout.strip() or ended.stderr


@pytest.fixture
def served() -> Iterator[tuple[str, health.HealthServicer]]:
    with ThreadPoolExecutor(2) as threads:
        server = grpc.server(threads)
        servicer = health.HealthServicer()
        health_pb2_grpc.add_HealthServicer_to_server(servicer, server)
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        yield f"127.0.0.1:{port}", servicer
        server.stop(None).wait()


@pytest.mark.parametrize("status", STATUS.ServingStatus.keys())
def test_the_status_is_that_of_the_server(served: tuple[str, health.HealthServicer], status: str) -> None:
    address, servicer = served
    servicer.set("", STATUS.ServingStatus.Value(status))
    assert check(address) == (0 if status == "SERVING" else 1, status)


def test_a_server_without_health_is_not_healthy() -> None:
    with ThreadPoolExecutor(2) as threads:
        server = grpc.server(threads)
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        assert check(f"127.0.0.1:{port}") == (1, "UNAVAILABLE")
        server.stop(None).wait()


def test_an_address_where_nothing_listens_is_not_healthy() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    assert check(f"127.0.0.1:{port}") == (1, "UNAVAILABLE")


@pytest.mark.slow
def test_a_listener_that_never_answers_is_not_healthy() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        assert check(f"127.0.0.1:{listener.getsockname()[1]}") == (1, "UNAVAILABLE")


@pytest.mark.parametrize("service", SERVICES)
def test_a_container_is_healthy_within_seconds_of_its_start(service: str) -> None:
    """Compose 1.29 does not know start_interval, so the interval itself is short and the check cheap."""
    (line,) = re.findall(
        r"^HEALTHCHECK (.*) \\\n +CMD (.*)$", (IMAGES / f"{service}.Dockerfile").read_text(), re.MULTILINE
    )
    options = dict(one.removeprefix("--").split("=") for one in line[0].split())
    assert options["interval"] == "5s"
    assert line[1] == '["python", "-I", "-S", "/opt/i2s/health.py", "127.0.0.1:8081"]'
