"""Processes of a conversion that are killed from outside: the result is the fragment's own, or a status."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import grpc
import grpc.aio
import pytest
import pytest_asyncio

from documents_service import ENDLESS, Documents, documents_service, fragment, pdf
from i2s.render.v1 import render_pb2
from i2s_chassis.contract import HANG_SECONDS
from i2s_chassis.contract.below import busy
from i2s_chassis.contract.lost_cell import RERUN
from i2s_documents.settings import DocumentsSettings

UID_BASE = 64_500
#: Lines on a page, which PDFium draws for about two seconds.
SLOW_TO_DRAW = 200_000
#: CPU seconds that it must have computed before it is killed.
BUSY_SECONDS = 0.2
UIDS = range(UID_BASE, UID_BASE + 256)

pytestmark = [
    pytest.mark.integration,
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.skipif(os.geteuid() != 0, reason="the users of jobs, which tell them apart, need root"),
]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def running():
    service = Documents(arguments=lambda folder: ["--jail-uid-base", str(UID_BASE)])
    async with documents_service(service) as found:
        yield found


def _status(pid):
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return dict(line.split(":\t", 1) for line in lines if ":\t" in line)


async def pandoc_of(running):
    """Return the process of the conversion that is under way."""
    async with asyncio.timeout(HANG_SECONDS):
        while True:
            for name in filter(str.isdigit, os.listdir("/proc")):
                try:
                    status = _status(name)
                except OSError:
                    continue
                if status["Name"] == "pandoc" and int(status["Uid"].split("\t")[0]) in UIDS:
                    return int(name)
            await asyncio.sleep(0.01)


def supervisor_of(pid):
    """Return the supervisor of the cell of a process: the process above it that is root, as no job is."""
    while int(_status(pid)["Uid"].split("\t")[0]) in UIDS or "bwrap" in _status(pid)["Name"]:
        pid = int(_status(pid)["PPid"])
    return pid


def _draws(one):
    """Return whether a process is PDFium in its sandbox."""
    return "draw_page.py" in one.command and "bwrap" not in one.command


async def test_a_pandoc_that_is_killed_once_is_run_once_more(running):
    limits = render_pb2.Limits(cpu_seconds=3)
    call = asyncio.ensure_future(running.convert(fragment(ENDLESS), fragment("after"), limits=limits))
    os.kill(await pandoc_of(running), signal.SIGKILL)
    bad, after = (await call).conversions
    assert bad.failure.verdict == render_pb2.VERDICT_TIME_LIMIT
    assert after.html == "<p>after</p>\n"
    assert running.process.lines(RERUN)


async def test_a_pandoc_that_is_killed_each_time_is_aborted(running):
    call = asyncio.ensure_future(running.convert(fragment(ENDLESS), fragment("after")))
    for _ in range(DocumentsSettings().jail_attempts):
        pid = await pandoc_of(running)
        os.kill(pid, signal.SIGKILL)
        async with asyncio.timeout(HANG_SECONDS):
            while Path(f"/proc/{pid}").exists():
                await asyncio.sleep(0.01)
    with pytest.raises(grpc.aio.AioRpcError, match="something outside of the service killed") as raised:
        await call
    assert raised.value.code() is grpc.StatusCode.ABORTED
    assert await running.html()


async def test_a_pdfium_that_is_killed_once_changes_no_image(running):
    document = pdf([b"0 0 m 72 36 l S\n" * SLOW_TO_DRAW], compressed=True)
    quiet = await running.draw(document)
    assert quiet.verdict == render_pb2.VERDICT_RENDERED, quiet.message
    before = len(running.process.lines(RERUN))
    call = asyncio.ensure_future(running.draw(document))
    os.kill((await busy(running.process.pid, _draws, BUSY_SECONDS)).pid, signal.SIGKILL)
    answer = await call
    assert (answer.verdict, answer.message) == (render_pb2.VERDICT_RENDERED, "")
    assert [page.image for page in answer.pages] == [page.image for page in quiet.pages]
    assert len(running.process.lines(RERUN)) == before + 1


async def test_a_cell_that_is_lost_is_unavailable(running):
    call = asyncio.ensure_future(running.convert(fragment(ENDLESS)))
    os.kill(supervisor_of(await pandoc_of(running)), signal.SIGKILL)
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        await call
    assert raised.value.code() is grpc.StatusCode.UNAVAILABLE
    assert await running.html()
