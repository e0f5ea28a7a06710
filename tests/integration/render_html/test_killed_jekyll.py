"""Jekyll is killed from outside: the site is built once more, and its image is that of a quiet build."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from i2s.render.v1 import render_pb2 as pb
from i2s_chassis.contract.below import Below, busy
from killed_jobs import killed_while_busy

pytestmark = [pytest.mark.integration, pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(300)]

#: Jekyll counts for about a second.
PAGE = (
    b"---\n---\n<!DOCTYPE html><title>Slow</title><h1>Slow</h1>\n"
    b"{% for i in (1..1000) %}{% for j in (1..1000) %}{% assign n = i | plus: j %}{% endfor %}{% endfor %}"
    b"{{ n }}"
)
SITE = pb.SiteSource(files=[pb.File(path="index.html", content=PAGE)])
#: Prepared processes have the memory limit of the service; a site with another one gets a process of its own.
LIMITS = {"warm": pb.Limits(cpu_seconds=100), "cold": pb.Limits(cpu_seconds=100, memory_bytes=400 << 20)}


def is_jekyll(one: Below) -> bool:
    return one.command.startswith("ruby ") and "build_site.rb" in one.command


def builds(one: Below) -> bool:
    """Whether a process has its site; others load Jekyll, or wait for one."""
    return is_jekyll(one) and Path(f"/proc/{one.pid}/cwd/site/index.html").exists()


@pytest.mark.parametrize("process", LIMITS)
async def test_a_site_whose_jekyll_is_killed_while_it_builds_has_its_picture(running, process):
    quiet = await running.render(SITE, limits=LIMITS[process])
    assert quiet.verdict == pb.VERDICT_RENDERED, quiet.message
    assert [stage.detail for stage in quiet.stages if stage.name == "build"] == [process]
    answer = await killed_while_busy(running, builds, SITE, limits=LIMITS[process])
    assert (answer.verdict, answer.message) == (pb.VERDICT_RENDERED, "")
    assert answer.pictures[0].png == quiet.pictures[0].png


async def test_a_site_whose_own_jekyll_is_killed_while_it_loads_has_its_picture(running):
    quiet = await running.render(SITE, limits=LIMITS["cold"])
    assert quiet.verdict == pb.VERDICT_RENDERED, quiet.message
    asked = asyncio.ensure_future(running.render(SITE, limits=LIMITS["cold"]))
    os.kill((await busy(running.process.pid, is_jekyll, 0.1)).pid, signal.SIGKILL)
    answer = await asked
    assert (answer.verdict, answer.message) == (pb.VERDICT_RENDERED, "")
    assert answer.pictures[0].png == quiet.pictures[0].png
