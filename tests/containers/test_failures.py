"""Containers that are killed and stopped under load: every call is answered, with the right image."""

import asyncio
import hashlib
import json
import threading
import time

import pytest

from i2s_sdk import AsyncRenderClient, RenderClient, RenderRequest, RetryPolicy
from i2s_wire.render.request import LatexSource

GRACE_SECONDS = 45
PATIENCE = RetryPolicy(total_seconds=240)
JOBS, AT_ONCE = 40, 4


def document(number):
    text = f"\\documentclass{{article}}\\begin{{document}}Job {number}: $x_{{{number}}}^2$\\end{{document}}"
    return LatexSource(text.encode())


def digest(rendering):
    assert rendering.verdict.name == "RENDERED", rendering.message
    return hashlib.sha256(rendering.pictures[0].png).hexdigest()


@pytest.fixture(scope="module")
def address(system):
    return f"127.0.0.1:{system.ports['render-latex']}"


@pytest.fixture(scope="module")
def expected(address):
    with RenderClient(address, retry=PATIENCE) as renderer:
        return {number: digest(renderer.render(RenderRequest(document(number)))) for number in range(4)}


async def load(address, progress):
    """Render JOBS documents, AT_ONCE at a time; returns the digests by number."""
    turns = asyncio.Semaphore(AT_ONCE)

    async with AsyncRenderClient(address, retry=PATIENCE) as renderer:

        async def one(number):
            async with turns:
                found = digest(await renderer.render(RenderRequest(document(number % 4))))
                progress.append(number)
                return number % 4, found

        return await asyncio.gather(*(one(number) for number in range(JOBS)))


def under_load(address, disturb):
    """Run the load and, once a quarter of it is done, the disturbance beside it."""
    progress = []
    failed = []

    def wait_and_disturb():
        end = time.monotonic() + 240
        while len(progress) < JOBS // 4 and time.monotonic() < end:
            time.sleep(0.02)
        try:
            disturb()
        except BaseException as error:
            failed.append(error)

    beside = threading.Thread(target=wait_and_disturb)
    beside.start()
    try:
        return asyncio.run(load(address, progress))
    finally:
        beside.join()
        assert not failed, failed[0]


def test_a_killed_container_costs_no_answer_and_no_pixel(system, address, expected):
    container = system.container("render-latex")

    def kill():
        system.engine.docker("kill", "--signal", "KILL", container)
        system.engine.docker("start", container)

    answers = under_load(address, kill)
    assert len(answers) == JOBS
    assert all(found == expected[number] for number, found in answers)


def test_a_container_that_is_stopped_under_load_drains_within_its_grace(system, address, expected):
    container = system.container("render-latex")
    ended = {}

    def stop():
        began = time.monotonic()
        system.engine.docker("stop", "--time", str(GRACE_SECONDS), container, seconds=GRACE_SECONDS + 60)
        ended["seconds"] = time.monotonic() - began
        ended["code"] = json.loads(system.engine.docker("inspect", container))[0]["State"]["ExitCode"]
        system.engine.docker("start", container)

    answers = under_load(address, stop)
    assert ended["code"] == 0, "it was killed, or cut its drain short"
    assert ended["seconds"] < GRACE_SECONDS
    assert len(answers) == JOBS
    assert all(found == expected[number] for number, found in answers)
