"""Processes of a job that are killed from outside: the job is run again, and never has a verdict for it."""

from __future__ import annotations

import pytest

from i2s.render.v1 import render_pb2 as pb
from i2s_chassis.contract import running_of
from i2s_render_python.settings import PythonSettings
from killed_jobs import is_forked_job, killed_each_time, killed_while_busy
from renderers import PYTHON

pytestmark = [pytest.mark.integration, pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(600)]
running = running_of(PYTHON)

LIMITS = pb.Limits(cpu_seconds=100)
#: Counts for about a second.
SLOW = (
    b"import matplotlib.pyplot as plt\nfor _ in range(30_000_000):\n    pass\nplt.plot([1, 2])\nplt.show()\n"
)


async def test_a_program_that_is_killed_once_changes_no_picture(running):
    source = pb.PythonSource(program=SLOW)
    quiet = await running.render(source, limits=LIMITS)
    assert quiet.verdict == pb.VERDICT_RENDERED
    answer = await killed_while_busy(running, is_forked_job, source, limits=LIMITS)
    assert (answer.verdict, answer.message) == (pb.VERDICT_RENDERED, "")
    assert answer.pictures[0].png == quiet.pictures[0].png


async def test_a_program_that_is_killed_each_time_has_no_verdict(running):
    source, times = pb.PythonSource(program=SLOW), PythonSettings().jail_attempts
    said = await killed_each_time(running, is_forked_job, source, times, limits=LIMITS)
    assert f"killed the processes of the job, {times} times in a row" in said
    assert (await running.render(source, limits=LIMITS)).verdict == pb.VERDICT_RENDERED
