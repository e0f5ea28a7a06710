"""Whatever ends the process that started services, nothing of them stays."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from i2s_sdk.clients.metrics import SERVICE as METRICS_WIRE_NAME
from i2s_sdk.errors import ServiceStartError
from i2s_sdk.service_table import METRICS
from i2s_sdk.settings import Settings
from i2s_sdk.stack import open_services
from i2s_sdk.stack.child import Child, local_services
from i2s_sdk.stack.command import ServiceCommand

pytestmark = pytest.mark.integration

_PARENT = """
import asyncio, signal, sys
from pathlib import Path
from i2s_sdk.settings import Settings
from i2s_sdk.stack import open_services

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it

async def main():
    async with open_services(Settings(), Path(sys.argv[1]), ("metrics",)) as services:
        print(services.children["metrics"].pid, flush=True)
        if sys.argv[2] == "exception":
            raise RuntimeError("a fault")
        if sys.argv[2] == "wait":
            await asyncio.Event().wait()

asyncio.run(main())
"""


def _is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


def _wait_until_gone(pids: list[int]) -> None:
    end = time.monotonic() + 60.0
    while any(_is_running(pid) for pid in pids) and time.monotonic() < end:
        time.sleep(0.01)
    assert not [pid for pid in pids if _is_running(pid)]


def _family(pid: int) -> list[int]:
    """Return a process and everything below it."""
    found = [pid]
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            found += _family(int(child))
    return found


@pytest.mark.parametrize(
    ("how", "number"),
    [
        ("normal", None),
        ("exception", None),
        ("wait", signal.SIGTERM),
        ("wait", signal.SIGINT),
        ("wait", signal.SIGKILL),
    ],
)
def test_services_end_with_their_parent(how: str, number: signal.Signals | None, tmp_path: Path) -> None:
    command = [sys.executable, "-c", _PARENT, str(tmp_path), how]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as parent:
        assert parent.stdout is not None
        line = parent.stdout.readline()
        family = _family(int(line)) if how == "wait" else [int(line)]
        if number is not None:
            parent.send_signal(number)
        parent.wait(30)
    _wait_until_gone(family)


async def test_a_child_knows_no_secret_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-user")
    monkeypatch.setenv("I2S_METRICS_LOG_LEVEL", "warning")
    async with open_services(Settings(), tmp_path, (METRICS,)) as services:
        environ = Path(f"/proc/{services.children[METRICS].pid}/environ").read_bytes()
    assert b"sk-of-the-user" not in environ
    assert b"I2S_METRICS_LOG_LEVEL=warning" in environ


async def test_a_service_that_ends_at_start_shows_the_end_of_its_log(tmp_path: Path) -> None:
    command = ServiceCommand(METRICS, METRICS_WIRE_NAME, ("--slots", "none"))
    with pytest.raises(ServiceStartError, match=r"exit code 2 before it served.*\n.*slots") as raised:
        async with local_services([command], tmp_path, 30.0):
            pass
    assert str(tmp_path / "metrics.log") in raised.value.message


async def test_a_service_that_is_not_ready_in_time_is_ended(tmp_path: Path) -> None:
    child = Child(ServiceCommand(METRICS, METRICS_WIRE_NAME), tmp_path)
    with pytest.raises(ServiceStartError, match=r"did not serve within 0\.01 s"):
        await child.start(0.01)
    _wait_until_gone([child.pid])


async def test_a_service_that_cannot_come_back_ends_the_work(tmp_path: Path) -> None:
    command = ServiceCommand(METRICS, METRICS_WIRE_NAME)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()

        async def work() -> None:
            async with local_services([command], tmp_path, 30.0) as children:
                child = children[METRICS]
                child.address = f"127.0.0.1:{taken.getsockname()[1]}"
                os.kill(child.pid, signal.SIGKILL)
                await asyncio.Event().wait()

        with pytest.raises(ServiceStartError, match=r"i2s-metrics died \d times in a row(.|\n)*in use"):
            await work()
