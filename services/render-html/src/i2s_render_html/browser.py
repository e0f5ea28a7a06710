"""One Chromium in a cell of its own, driven through a pipe, with one page prepared at a time."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import socket
import struct
import sys
import tempfile
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from playwright.async_api import Browser as PlaywrightBrowser
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Playwright, async_playwright

from i2s_chassis.jail import Cell, CellError, Ended, Jail, JailError
from i2s_chassis.limits import START_WALL_PER_CPU, Limits
from i2s_render_html import launcher
from i2s_render_html.chromium import Chromium
from i2s_render_html.model import BrowserError
from i2s_render_html.page import CrashSignals, PreparedPage
from i2s_render_html.settings import HtmlSettings

_CREDENTIALS = struct.Struct("3i")  # pid, uid and gid, see unix(7)


class Handover:
    """A private socket at which one launcher delivers its descriptors.

    Attributes:
        program: Program that Playwright is to start.
        arguments: Arguments of the program.
        driver: Number of Playwright's process, which has started the launcher; None before it has.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """Make the socket.

        Args:
            folder: Where a folder for it is made; None for the system's temporary folder.
        """
        self._folder = Path(tempfile.mkdtemp(prefix="i2s-pipe-", dir=folder))  # closed to other users
        path = str(self._folder / "pipe")
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
        self._listener.bind(path)
        self._listener.listen(1)
        self._connection: socket.socket | None = None
        self.driver: int | None = None
        self.program = sys.executable
        self.arguments = ("-I", "-S", launcher.__file__, path)

    async def descriptors(self) -> tuple[int, int]:
        """Return what the browser reads from and what it writes to; the caller closes them.

        Raises:
            BrowserError: Something else was delivered.
        """
        loop = asyncio.get_running_loop()
        self._connection, _ = await loop.sock_accept(self._listener)
        received: asyncio.Future[tuple[int, ...]] = loop.create_future()
        connection = self._connection
        self.driver = _parent_of_peer(connection)

        def take() -> None:
            _, descriptors, _, _ = socket.recv_fds(connection, 1, 2)
            if not received.done():
                received.set_result(tuple(descriptors))

        loop.add_reader(connection, take)
        try:
            descriptors = await received
        finally:
            loop.remove_reader(connection)
        if len(descriptors) != 2:
            for descriptor in descriptors:
                os.close(descriptor)
            raise BrowserError("the launcher did not deliver the browser's pipe")
        return descriptors[0], descriptors[1]

    def end(self) -> None:
        """Let the launcher go: for Playwright the browser has ended."""
        self._listener.close()
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        with contextlib.suppress(OSError):
            shutil.rmtree(self._folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()


def _parent_of_peer(connection: socket.socket) -> int | None:
    """Return the process that started who is at the other end; None if that is not known."""
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    pid, _, _ = _CREDENTIALS.unpack(credentials)
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return None
    return next((int(line.split()[1]) for line in status.splitlines() if line.startswith("PPid:")), None)


_READS, _WRITES = 3, 4
_PROFILE = "profile"
_RENDERER = "--type=renderer"
_LOOK_SECONDS = 0.5
_LAST_WORDS_SECONDS = 1.0
# Playwright's driver runs in no cell, so nothing counts its CPU time: this ends one that hangs.
_DRIVER_SECONDS = 600.0
_FONTS = "fonts.conf"
# A browser that waits uses next to nothing; these only bound one that has gone mad.
_IDLE_CPU_SECONDS = 3600.0
_IDLE_WALL_SECONDS = 365 * 86_400.0
_ENVIRONMENT = {"TZ": "UTC", "LANGUAGE": "en_US", "DBUS_SESSION_BUS_ADDRESS": "disabled:"}


@dataclass(frozen=True, slots=True)
class BrowserSettings:
    """The settings that every browser is started with."""

    #: Settings of the service.
    service: HtmlSettings
    #: The program.
    chromium: Chromium
    #: Folder for the sockets at which browsers are handed over; None for the system's temporary folder.
    folder: Path | None = None
    #: Whether its own sandbox is on.
    sandbox: bool = True

    def start_limits(self) -> Limits:
        """Return the limits of a cell in which a browser starts, and of the preparation of each page.

        All but those of time are the most that any page may use. Wall time ends only a browser that waits for
        something that never comes.
        """
        seconds = self.service.browser_start_seconds
        return replace(self.service.max, cpu_seconds=seconds, wall_seconds=START_WALL_PER_CPU * seconds)


class Browser:
    """A browser that shows one page after the other.

    Attributes:
        cell: Where it runs.
        run: The task that ends when the browser does, whatever the reason.
        answering: Numbers of the processes outside of the cell that answer what a page asks for.
        jobs: Pages that it has shown.
    """

    def __init__(
        self,
        settings: BrowserSettings,
        cell: Cell,
        run: asyncio.Task[Ended],
        driven: PlaywrightBrowser,
        answering: tuple[int, ...],
    ) -> None:
        self.cell, self.run, self.answering = cell, run, answering
        self.jobs = 0
        self._settings, self._driven = settings, driven
        self._stack = AsyncExitStack()
        self._crashes = CrashSignals()
        self._first_bytes = self._now_bytes = 0
        self._next: asyncio.Task[PreparedPage] | None = None
        self._own_processes: frozenset[int] = frozenset()
        self._lost_another = False

    @classmethod
    async def start(cls, jail: Jail, settings: BrowserSettings) -> Browser:
        """Start a browser and prepare its first page.

        Raises:
            BrowserError: It did not start; says what it said.
            JailError: A fault of the jail.
        """
        async with AsyncExitStack() as stack:
            # A driver for each: one that is flooded or dies takes no other browser with it.
            driver = await async_playwright().start()
            stack.push_async_callback(driver.stop)
            handover = stack.enter_context(Handover(settings.folder))
            launching = asyncio.create_task(_launch(driver, handover))
            stack.push_async_callback(_dropped, launching)
            cell, run = await _in_a_cell(stack, jail, settings, handover, launching)
            driven = await _launched(launching, run)
            drivers = () if handover.driver is None else (handover.driver,)
            browser = cls(settings, cell, run, driven, (os.getpid(), *drivers))
            stack.push_async_callback(browser._drop_page)
            await browser._listen()
            browser._next = asyncio.create_task(browser._prepare())
            await browser.page()
            renderers = {
                process_isolation.pid
                for process_isolation in await cell.process_isolation()
                if _RENDERER in process_isolation.command
            }
            browser._own_processes = await cell.processes() - renderers
            browser._stack = stack.pop_all()
        return browser

    async def _listen(self) -> None:
        listening = asyncio.create_task(self._crashes.listen(self._driven))
        await asyncio.wait({listening, self.run}, return_when=asyncio.FIRST_COMPLETED)
        if not listening.done() or listening.exception() is not None:
            reason = await _reason(listening, self.run)
            await _dropped(listening)
            raise BrowserError(f"Chromium does not answer: {reason}") from _failure(self.run)

    async def lost_a_process(self) -> bool:
        """Return whether a process that belongs to the browser itself, and to no page, is gone.

        What pages looked like since then, or whether they came to an end, says nothing about them.
        """
        if self.run.done() or not self._driven.is_connected():
            return True
        try:
            self._lost_another = not self._own_processes <= await self.cell.processes()
        except CellError:
            return True
        return self._lost_another

    async def ended_itself(self) -> bool:
        """Return whether the browser is gone by its own doing, such as SIGSEGV, and lost no other process.

        Which signal ended another process is not known, and a browser may end itself for want of one.
        """
        await asyncio.wait({self.run}, timeout=_LAST_WORDS_SECONDS)
        return self.run.done() and self.run.exception() is None and not self._lost_another

    async def until_lost(self) -> None:
        """Return when a process that belongs to the browser itself is gone."""
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            if await self.lost_a_process():
                return

    @property
    def alive(self) -> bool:
        """Whether the browser can open another page."""
        lost = self._next is not None and self._next.done() and self._next.exception() is not None
        return not self.run.done() and self._driven.is_connected() and not lost

    @property
    def growth_bytes(self) -> int:
        """Memory of the idle browser beyond that at its first page."""
        return self._now_bytes - self._first_bytes

    @property
    def version(self) -> str:
        """Version of the browser, as it reports it."""
        return self._driven.version

    @property
    def driven(self) -> PlaywrightBrowser:
        """Playwright's view of it."""
        return self._driven

    def turn(self, used: PreparedPage) -> None:
        """Begin to close a page that was used and to prepare the next one; does not wait for it."""
        self.jobs += 1
        self._next = asyncio.create_task(self._turn(used))

    async def _turn(self, used: PreparedPage) -> PreparedPage:
        await self.retire(used)
        return await self._prepare()

    async def page(self) -> PreparedPage:
        """Return the page that is prepared, for one job.

        Raises:
            BrowserError: None can be prepared.
        """
        if self._next is None:
            raise BrowserError("no page was being prepared")
        # The preparation belongs to the browser: a caller that gives up does not end it.
        return await asyncio.shield(self._next)

    async def _prepare(self) -> PreparedPage:
        limits = self._settings.start_limits()
        preparing = asyncio.create_task(
            PreparedPage.prepare(self._driven, self._settings.service, self._crashes)
        )
        try:
            await self.cell.allow(
                cpu_seconds=limits.cpu_seconds,
                wall_seconds=limits.wall_seconds,
                waits_for=self.answering,
            )
            await asyncio.wait({preparing, self.run}, return_when=asyncio.FIRST_COMPLETED)
            if not preparing.done() or preparing.exception() is not None:
                reason = await _reason(preparing, self.run)
                raise BrowserError(f"no page could be prepared: {reason}") from _failure(self.run)
            used = await self.cell.allow(cpu_seconds=_IDLE_CPU_SECONDS, wall_seconds=_IDLE_WALL_SECONDS)
            self._now_bytes = used.peak_memory_bytes
        except CellError as error:
            raise BrowserError(f"no page could be prepared: {error}") from error
        finally:
            await _dropped(preparing)
        self._first_bytes = self._first_bytes or self._now_bytes
        return preparing.result()

    async def retire(self, page: PreparedPage) -> None:
        """Close a page that was used; one that is closed already stays so.

        Raises:
            BrowserError: It does not close; the browser is not to be used any more.
        """
        try:
            async with asyncio.timeout(self._settings.service.page_close_seconds):
                await page.close()
        except (TimeoutError, PlaywrightError) as error:
            raise BrowserError(f"a page does not close: {error}") from None

    async def _drop_page(self) -> None:
        if self._next is not None:
            await _dropped(self._next)

    async def close(self) -> None:
        """Kill the browser and remove its cell.

        Raises:
            JailError: A fault of the jail.
        """
        await self._stack.aclose()


async def _launch(driver: Playwright, handover: Handover) -> PlaywrightBrowser:
    return await driver.chromium.launch(
        executable_path=handover.program,
        args=list(handover.arguments),
        ignore_default_args=True,
        env={},
        timeout=0,  # the limits of the cell end what does not start
        handle_sigint=False,
        handle_sigterm=False,
        handle_sighup=False,
    )


async def _in_a_cell(
    stack: AsyncExitStack,
    jail: Jail,
    settings: BrowserSettings,
    handover: Handover,
    launching: asyncio.Task[PlaywrightBrowser],
) -> tuple[Cell, asyncio.Task[Ended]]:
    """Start Chromium in its sandbox with the pipe that Playwright made."""
    reading, writing = await _descriptors(handover, launching)
    try:
        opening = jail.cell(
            settings.start_limits(),
            readable=settings.chromium.readable,
            channels={_READS: reading, _WRITES: writing},
            nesting=True,  # without its own sandbox it still does not start without /proc
        )
        cell = await stack.enter_async_context(opening)
    finally:
        os.close(reading)
        os.close(writing)
    command = settings.chromium.command(f"{cell.workdir}/{_PROFILE}", sandbox=settings.sandbox)
    environment = dict(_ENVIRONMENT)
    if (fonts := settings.chromium.fonts.configuration) is not None:
        await cell.write(_FONTS, fonts)
        environment["FONTCONFIG_FILE"] = f"{cell.workdir}/{_FONTS}"
    run = asyncio.create_task(cell.run(command, env=environment))
    stack.push_async_callback(_stopped, cell, run)
    return cell, run


async def _descriptors(handover: Handover, launching: asyncio.Task[PlaywrightBrowser]) -> tuple[int, int]:
    taking = asyncio.create_task(handover.descriptors())
    try:
        await asyncio.wait({taking, launching}, timeout=_DRIVER_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        if taking.done():
            return taking.result()
    finally:
        await _dropped(taking)
    raise BrowserError("Playwright did not start its browser: " + _words(launching))


async def _launched(
    launching: asyncio.Task[PlaywrightBrowser], run: asyncio.Task[Ended]
) -> PlaywrightBrowser:
    await asyncio.wait({launching, run}, return_when=asyncio.FIRST_COMPLETED)
    if launching.done() and launching.exception() is None:
        return launching.result()
    reason = await _reason(launching, run)
    raise BrowserError(f"Chromium does not start: {reason}") from _failure(run)


async def _reason(failed: asyncio.Task[Any], run: asyncio.Task[Ended]) -> str:
    """Return why something that was asked of a browser failed: how the browser ended, if it did."""
    # When the browser dies, Playwright says little, and the run says why a moment later.
    await asyncio.wait({run}, timeout=_LAST_WORDS_SECONDS)
    if not run.done():
        return _words(failed)
    error = run.exception()
    if error is not None:
        return str(error)
    ended = run.result()
    said = ended.output.whole.decode(errors="replace").strip()[-1000:]
    how = f"{ended.cause.value}, exit code {ended.exit_code}, signal {ended.signal}"
    return f"it ended ({how}): {said or 'it said nothing'}"


def _failure(run: asyncio.Task[Ended]) -> BaseException | None:
    """Return the fault that a browser's run ended with; None if it runs or ended by itself."""
    return run.exception() if run.done() and not run.cancelled() else None


def _words(launching: asyncio.Task[Any]) -> str:
    if not launching.done():
        return "not in time"
    return str(launching.exception())[:1000]


async def _dropped(task: asyncio.Task[object]) -> None:
    """Cancel a task and see to it that nobody misses its exception."""
    task.cancel()
    await asyncio.wait({task})
    if not task.cancelled():
        task.exception()


async def _stopped(cell: Cell, run: asyncio.Task[Ended]) -> None:
    if not run.done():
        with contextlib.suppress(JailError):
            await cell.stop()
    await asyncio.wait({run})
    if not run.cancelled():
        run.exception()
