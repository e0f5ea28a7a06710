"""Two replicas behind one name: load spreads, and one that is killed costs nothing."""

import json
import subprocess
import time

import pytest

JOBS, AT_ONCE, KILL_AFTER = 200, 6, 60
START_SECONDS = 240

LOAD = """
import asyncio, hashlib, json, sys
from i2s_sdk import AsyncRenderClient, RenderRequest, RetryPolicy
from i2s_wire.render.request import LatexSource

JOBS, AT_ONCE = int(sys.argv[1]), int(sys.argv[2])

def request(number):
    text = f"\\\\documentclass{{article}}\\\\begin{{document}}Job {number % 5}\\\\end{{document}}"
    return RenderRequest(LatexSource(text.encode()))

async def main():
    turns = asyncio.Semaphore(AT_ONCE)
    answers = {}
    async with AsyncRenderClient("render-latex:7710", retry=RetryPolicy(total_seconds=240)) as renderer:
        await renderer.wait_ready(120)
        async def one(number):
            async with turns:
                rendering = await renderer.render(request(number))
                picture = rendering.pictures[0].png if rendering.pictures else b""
                answers[number] = [rendering.verdict.name, hashlib.sha256(picture).hexdigest()]
                if len(answers) % 10 == 0:
                    print("done", len(answers), flush=True)
        await asyncio.gather(*(one(number) for number in range(JOBS)))
    print(json.dumps(answers), flush=True)

asyncio.run(main())
"""


@pytest.fixture
def two(system):
    system.compose("up", "--detach", "--no-recreate", "--scale", "render-latex=2")
    containers = system.containers("render-latex")
    assert len(containers) == 2
    for container in containers:
        system.engine.docker(
            "exec", container, "python", "-I", "/opt/i2s/health.py", "127.0.0.1:8081", str(START_SECONDS),
            seconds=START_SECONDS + 30,
        )  # fmt: skip
    yield containers
    system.compose("up", "--detach", "--no-recreate", "--scale", "render-latex=1")


def renders(system, container):
    """How many single renders a replica has answered, by its log."""
    log = system.engine.docker("logs", container)
    return sum('"method": "Render"' in line for line in log.splitlines())


def test_load_spreads_and_a_killed_replica_costs_no_answer(system, two):
    before = {one: renders(system, one) for one in two}
    networks = f"{system.project}_render-latex"
    command = ["docker", "run", "--rm", "--interactive", "--network", networks, "--entrypoint", "python"]
    command += ["i2s-sdk:latest", "-u", "-", str(JOBS), str(AT_ONCE)]
    with subprocess.Popen(
        command, env=system.engine.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as load:
        load.stdin.write(LOAD)
        load.stdin.close()
        last = ""
        served = None
        for line in load.stdout:
            last = line
            if served is None and line.startswith("done") and int(line.split()[1]) >= KILL_AFTER:
                served = {one: renders(system, one) - before[one] for one in two}
                system.engine.docker("kill", "--signal", "KILL", two[0])
        assert load.wait(600) == 0, last
    answers = json.loads(last)
    assert len(answers) == JOBS
    assert {verdict for verdict, _ in answers.values()} == {"RENDERED"}
    pictures = [
        {found for number, (_, found) in answers.items() if int(number) % 5 == kind} for kind in range(5)
    ]
    assert [len(picture) for picture in pictures] == [1] * 5
    assert len(set.union(*pictures)) == 5
    assert min(served.values()) >= KILL_AFTER // 4, served
    system.engine.docker("start", two[0])
    deadline = time.monotonic() + START_SECONDS
    while two[0] not in system.containers("render-latex") and time.monotonic() < deadline:
        time.sleep(0.5)
