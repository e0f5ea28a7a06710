"""The start of a browser is bounded by CPU seconds; wall time ends only one that waits."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from i2s_render_html.browser import BrowserSettings, Handover
from i2s_render_html.chromium import Chromium
from i2s_render_html.fonts import Fonts
from i2s_render_html.model import PAGE_MAX_LIMITS, BrowserError
from i2s_render_html.settings import HtmlSettings

CHROMIUM = Chromium(Path("/none"), "1", {}, "", Fonts(Path("/none"), {}, ""), ())


def settings(**chosen: float) -> BrowserSettings:
    return BrowserSettings(HtmlSettings(**chosen), CHROMIUM)


def test_a_start_has_six_times_as_much_wall_time_as_cpu_time() -> None:
    limits = settings(browser_start_seconds=20).start_limits()
    assert limits == replace(PAGE_MAX_LIMITS, cpu_seconds=20, wall_seconds=120)


async def started(handover, pipe):
    """Run the launcher as Playwright does, with the ends of a pipe at 3 and 4."""
    reading, writing = os.pipe()
    actions = [(os.POSIX_SPAWN_DUP2, pipe.fileno(), 3), (os.POSIX_SPAWN_DUP2, writing, 4)]
    command = [handover.program, *handover.arguments]
    process = os.posix_spawn(handover.program, command, {}, file_actions=actions)
    os.close(writing)
    return process, reading


async def test_descriptors_arrive_and_the_launcher_ends_with_the_handover():
    with Handover() as handover, socket.socket() as pipe:
        process, reading = await started(handover, pipe)
        received = await asyncio.wait_for(handover.descriptors(), 30)
        assert os.fstat(received[0]).st_ino == os.fstat(pipe.fileno()).st_ino
        os.write(received[1], b"hello")
        assert os.read(reading, 5) == b"hello"
        assert os.waitpid(process, os.WNOHANG) == (0, 0)
        for descriptor in received:
            os.close(descriptor)
        assert os.read(reading, 1) == b"", "the launcher has kept an end of the pipe"
        os.close(reading)
    _, status = await asyncio.to_thread(os.waitpid, process, 0)
    assert status == 0


async def test_the_socket_is_closed_to_others_and_gone_afterwards():
    with Handover() as handover:
        folder = os.path.dirname(handover.arguments[-1])
        assert os.stat(folder).st_mode & 0o077 == 0
    assert not os.path.exists(folder)


async def test_the_driver_is_who_has_started_the_launcher():
    with Handover() as handover, socket.socket() as pipe:
        assert handover.driver is None
        process, reading = await started(handover, pipe)
        for descriptor in (*await asyncio.wait_for(handover.descriptors(), 30), reading):
            os.close(descriptor)
        assert handover.driver == os.getpid()
    await asyncio.to_thread(os.waitpid, process, 0)


async def test_no_driver_is_known_where_the_launcher_is_gone():
    with Handover() as handover:
        lines = f"import socket; socket.socket(socket.AF_UNIX).connect({handover.arguments[-1]!r})"
        launcher = await asyncio.create_subprocess_exec(sys.executable, "-I", "-S", "-c", lines)
        assert await launcher.wait() == 0
        with pytest.raises(BrowserError, match="did not deliver"):
            await asyncio.wait_for(handover.descriptors(), 30)
        assert handover.driver is None
