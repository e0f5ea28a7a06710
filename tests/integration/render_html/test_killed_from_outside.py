"""Processes of the browser are killed from outside in the middle of a job: the answer stays as it was."""

from __future__ import annotations

import asyncio
import os
import signal

import grpc
import grpc.aio
import pytest
import pytest_asyncio

from i2s.render.v1 import render_pb2 as pb
from i2s_chassis.contract.below import Below, below, busy
from i2s_render_html.settings import HtmlSettings
from repetitions import some

pytestmark = [pytest.mark.integration, pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(300)]

#: Computes for about a second, and then shows what came of it.
PAGE = b"""<!DOCTYPE html><title>Slow</title><h1>Slow</h1><p id=p></p>
<script>
(() => { let n = 0; for (let i = 0; i < 8e8; i++) { n = (n + i) | 0 } p.textContent = n })()
</script>"""


def request(page: bytes = PAGE) -> pb.RenderRequest:
    return pb.RenderRequest(site=pb.SiteSource(files=[pb.File(path="index.html", content=page)]))


def is_renderer(one: Below) -> bool:
    return "--type=renderer" in one.command


def victims(kind: str, service: int, renderer: Below) -> list[int]:
    """Return the processes of a kind that belong to the browser of a renderer."""
    if kind == "renderer":
        return [renderer.pid]
    everyone = below(service)
    if kind == "driver":
        return [one.pid for one in everyone if "playwright" in one.command and "run-driver" in one.command]
    browsers = [
        one for one in everyone if "--remote-debugging-pipe" in one.command and "--type=" not in one.command
    ]
    mine = next(browser for browser in browsers if renderer.pid in {each.pid for each in below(browser.pid)})
    if kind == "browser":
        return [mine.pid]
    return [one.pid for one in below(mine.pid) if f"--type={kind}" in one.command]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def quiet(started):
    """The answer if nothing is killed."""
    service, _ = started
    answer = await service.Render(request())
    assert answer.verdict == pb.VERDICT_RENDERED
    return answer


@pytest.mark.parametrize(
    "kind",
    some(
        ["renderer", "gpu-process", "utility", "browser", "driver"],
        chosen={"renderer", "gpu-process", "browser"}.__contains__,
        instead="other processes; soak/test_short_soak, which kills those of every kind",
    ),
)
async def test_a_killed_process_changes_no_answer(started, quiet, kind):
    service, pid = started
    asked = asyncio.ensure_future(service.Render(request()))
    renderer = await busy(pid, is_renderer, 0.2)
    killed = victims(kind, pid, renderer)
    assert killed, f"this browser has no process of the kind {kind}"
    for one in killed:
        os.kill(one, signal.SIGKILL)
    answer = await asked
    assert (answer.verdict, answer.message) == (pb.VERDICT_RENDERED, "")
    assert answer.pictures[0].png == quiet.pictures[0].png


async def each_time(kind, signal, service, pid, times):
    """Return the answer to a request at whose runs a process is sent a signal."""
    asked, seen = asyncio.ensure_future(service.Render(request())), set()
    for _ in range(times):
        renderer = await busy(pid, lambda one: is_renderer(one) and one.pid not in seen, 0.2)
        for victim in victims(kind, pid, renderer):
            os.kill(victim, signal)
        seen.add(renderer.pid)
    return asked


@pytest.mark.parametrize("kind", ["renderer", "gpu-process", "browser"])
async def test_a_page_that_loses_a_process_each_time_has_no_verdict(started, kind):
    service, pid = started
    asked = await each_time(kind, signal.SIGKILL, service, pid, HtmlSettings().jail_attempts)
    with pytest.raises(grpc.aio.AioRpcError, match="something outside of the service killed") as raised:
        await asked
    assert raised.value.code() is grpc.StatusCode.ABORTED


async def test_a_page_whose_browser_ends_itself_each_time_has_crashed_it(started):
    service, pid = started
    answer = await (await each_time("browser", signal.SIGSEGV, service, pid, 2))
    assert answer.verdict == pb.VERDICT_CRASHED


async def test_the_next_job_is_as_ever(started, quiet):
    service, _ = started
    after = await service.Render(request())
    assert after.pictures[0].png == quiet.pictures[0].png
