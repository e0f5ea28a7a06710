"""Hostile code inside a worker process of the metric service reaches nothing: no file, process or socket."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from i2s_chassis.jail import syscalls
from i2s_chassis.jail.own_process import WorkerNeeds
from i2s_metrics.processes import start
from ordinary_user import run_as_ordinary_user
from worker_attacks import OTHERS, READS, call_drivers

pytestmark = [pytest.mark.security, pytest.mark.timeout(900)]

_SUPPORT = Path(__file__).parents[2] / "support"
_PROGRAM = f"import sys; sys.path.insert(1, {str(_SUPPORT)!r}); import worker_attacks; worker_attacks.main()"
_SOURCES = ("protos", "services/chassis", "services/metrics")

Run = Callable[[Sequence[str]], "subprocess.CompletedProcess[str]"]


def _as_this_user(options: Sequence[str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", _PROGRAM, *options]
    return subprocess.run(command, capture_output=True, text=True, check=False, start_new_session=True)


def _as_ordinary_user(options: Sequence[str]) -> subprocess.CompletedProcess[str]:
    if os.geteuid() != 0:
        pytest.skip("the tests run as an ordinary user already")
    modules = ["numpy", "numba", "PIL", "skimage", "pydantic_core", "i2s_metrics"]
    return run_as_ordinary_user("-c", _PROGRAM, *options, sources=_SOURCES, modules=modules)


@pytest.fixture(params=[_as_this_user, _as_ordinary_user], ids=["this user", "ordinary user"])
def attacked(request: pytest.FixtureRequest) -> Callable[..., dict[str, list[str]]]:
    """Has a worker attack; returns what it did."""

    def run(*options: str) -> dict[str, list[str]]:
        done = request.param(options)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
        return json.loads(done.stdout)

    return run


_needs_landlock = pytest.mark.skipif(
    not syscalls.landlock_abi(), reason="NOT TESTED: files. This kernel has no Landlock"
)


@_needs_landlock
@pytest.mark.parametrize("options", [(), ("--networks",)], ids=["worker", "networks"])
def test_a_process_that_was_taken_over_can_do_nothing(attacked, options) -> None:
    result = attacked(*options)
    assert result["done"] == []
    assert set(READS) | set(OTHERS) < set(result["held"])
    assert f"landlock abi {syscalls.landlock_abi()}" in result["mechanisms"]


def test_without_landlock_it_can_read_what_its_user_can_and_nothing_else(attacked) -> None:
    result = attacked("--without-landlock")
    assert set(result["done"]) - set(READS) - {"read the key from a thread"} == set()
    assert "read the key" in result["done"]
    assert "no landlock: files can be read" in result["mechanisms"]


@_needs_landlock
async def test_drivers_can_be_called_of_the_device_files_that_were_named_alone() -> None:
    devices = ("/dev/random", "/dev/urandom")
    for drivers in ((), *((device,) for device in devices), devices):
        child = await start(call_drivers, devices, WorkerNeeds(devices=devices, drivers=drivers))
        try:
            assert json.loads((await child.receive(1000)).decode()) == list(drivers)
        finally:
            await child.end()
