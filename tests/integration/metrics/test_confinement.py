"""What the processes of the running service are confined by, in the words of the kernel and of the log."""

import asyncio
import contextlib
import json
from pathlib import Path

import pytest

from i2s.metrics.v1 import metrics_pb2 as pb
from i2s_chassis.jail import syscalls

pytestmark = pytest.mark.integration


def status(pid):
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return dict(line.split(":\t", 1) for line in lines)


def said(folder):
    """What the log says of confinement, by the message."""
    lines = [json.loads(line) for line in (folder / "log").read_text().splitlines()]
    return {line["message"]: line["mechanisms"].split(", ") for line in lines if "mechanisms" in line}


def assert_confined(pid):
    found = status(pid)
    for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        # Who has no right to lower the bounding set has no way to use it either.
        if name != "CapBnd" or status("self")["CapEff"] != f"{0:016x}":
            assert found[name] == f"{0:016x}", name
    assert (found["NoNewPrivs"], found["Seccomp"], found["CoreDumping"]) == ("1", "2", "0")


async def confined_workers(service, number, seen=frozenset()):
    """Wait until so many workers that were not seen before run, and until they have confined themselves."""
    async with asyncio.timeout(60):
        while True:
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                workers = service.workers() - seen
                if len(workers) == number and all(status(pid)["Seccomp"] == "2" for pid in workers):
                    return workers
            await asyncio.sleep(0.02)


async def test_every_worker_is_confined_and_so_is_each_that_replaces_one(serve, image, tmp_path):
    picture = image("images/eq_0.png")
    request = pb.ScoreRequest(reference=picture, prediction=picture, metrics=["ems", "pixel", "ssim"])
    # The start takes two jobs of the first worker. So each round replaces one, in its first call.
    async with serve("--slots", "1", "--workers", "1", "--jobs-per-worker", "3") as service:
        seen = set()
        for _ in range(3):
            (worker,) = await confined_workers(service, 1, seen)
            assert_confined(worker)
            seen.add(worker)
            for _ in range(3):
                answer = await service.stub.Score(request)
                assert [result.value for result in answer.results] == [1, 1, 1]
    (mechanisms,) = said(tmp_path).values()
    assert {"no capabilities", "no new privileges", "seccomp"} < set(mechanisms)
    if syscalls.landlock_abi():
        assert f"landlock abi {syscalls.landlock_abi()}" in mechanisms


async def test_the_process_of_networks_is_confined_too(serve, image, weights_dir, tmp_path):
    picture = image("images/eq_0.png")
    request = pb.ScoreRequest(reference=picture, prediction=picture, metrics=["lpips"])
    options = ("--weights-dir", str(weights_dir), "--slots", "1", "--torch-threads", "2", "--device", "cpu")
    async with serve(*options) as service:
        answer = await service.stub.Score(request, timeout=250)
        assert [result.value for result in answer.results] == [1]
        workers = await confined_workers(service, 2)
        for worker in workers:
            assert_confined(worker)
        threads = {pid: list(Path(f"/proc/{pid}/task").iterdir()) for pid in workers}
        for pid, tasks in threads.items():
            assert all(status(f"{pid}/task/{task.name}")["Seccomp"] == "2" for task in tasks)
        assert max(map(len, threads.values())) > 1
    assert set(said(tmp_path)) == {"workers are confined", "networks are confined"}


@pytest.mark.nightly(instead="the process of the networks is confined")
async def test_networks_can_be_left_unconfined_and_the_log_says_so(serve, image, weights_dir, tmp_path):
    picture = image("images/eq_0.png")
    request = pb.ScoreRequest(reference=picture, prediction=picture, metrics=["lpips"])
    options = ("--weights-dir", str(weights_dir), "--slots", "1", "--torch-threads", "1", "--device", "cpu")
    async with serve(*options, "--no-confine-networks") as service:
        await service.stub.Score(request, timeout=250)
        unconfined, confined = sorted(int(status(worker)["Seccomp_filters"]) for worker in service.workers())
        assert confined == unconfined + 1  # to the filter that the whole service has
    assert "networks are not confined (--no-confine-networks)" in (tmp_path / "log").read_text()
