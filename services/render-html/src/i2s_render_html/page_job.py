"""One job on one page: load, settle, capture, read; ended by whatever comes first, a limit included."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from playwright.async_api import Error as PlaywrightError

from i2s_chassis.jail import Cause, Cell, CellError, JailError, KilledError, Usage
from i2s_chassis.limits import Limits
from i2s_chassis.renderer.bounds import limits_left
from i2s_chassis.renderer.model import RawStage
from i2s_chassis.renderer.verdict import Judgement
from i2s_render_html import verdict
from i2s_render_html.browser import Browser
from i2s_render_html.capture import page_png, page_size, picture_of, pixels_of, read_elements, read_text
from i2s_render_html.layout import read_layout
from i2s_render_html.model import BrowserError, SiteJob
from i2s_render_html.page import PreparedPage
from i2s_render_html.settings import HtmlSettings
from i2s_render_html.settle import load, settle
from i2s_render_html.site import url_of
from i2s_wire.render.rendering import Picture, Verdict
from i2s_wire.render.site import SiteResult

_LOOK_SECONDS = 0.1
# The jail is the backstop: it ends the whole browser where closing the page would do.
_GRACE_SECONDS = 5.0


class Meter:
    """Counts from the moment it is made with ``begin``."""

    def __init__(self, cell: Cell, limits: Limits, before: Usage) -> None:
        self._cell, self._limits = cell, limits  # of time, what is left of them
        self._began = self._stage_began = time.monotonic()
        self._start = self._stage_start = self._last = before

    @property
    def peak_memory_bytes(self) -> int:
        """The highest memory use so far, in bytes."""
        return self._last.peak_memory_bytes

    def clock(self) -> float:
        """Return the seconds since the start in which the machine did not keep the page waiting."""
        return time.monotonic() - self._began - (self._last.waited_seconds - self._start.waited_seconds)

    @classmethod
    async def begin(cls, cell: Cell, limits: Limits, spent: Usage, answering: Sequence[int]) -> Meter:
        """Begin to show a page.

        Args:
            cell: The cell of the browser.
            limits: Limits of the job.
            spent: What earlier steps have used of them.
            answering: Processes outside of the cell that answer what the page asks for.

        Raises:
            CellError: The cell is gone, or the browser has ended.
        """
        limits = limits_left(limits, spent)
        before = await cell.allow(
            cpu_seconds=limits.cpu_seconds + _GRACE_SECONDS,
            wall_seconds=limits.wall_seconds + _GRACE_SECONDS,
            waits_for=answering,
        )
        return cls(cell, limits, before)

    async def stage(self, name: str) -> RawStage:
        """Return what was used since the last stage.

        Raises:
            JailError: The cell is gone.
        """
        self._last = await self._cell.usage()
        return self._stage(name, self._last, time.monotonic())

    def broken_off(self, name: str) -> RawStage:
        """Return what was seen to be used since the last stage, without asking the browser."""
        return self._stage(name, self._last, time.monotonic())

    def _stage(self, name: str, used: Usage, now: float) -> RawStage:
        spent = replace(used.since(self._stage_start), wall_seconds=now - self._stage_began)
        self._stage_began, self._stage_start = now, used
        return RawStage(name, spent)

    async def until_limit(self) -> Cause:
        """Return the limit that the job passes, when it does.

        Raises:
            JailError: The cell is gone.
        """
        limits = self._limits
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            used = self._last = await self._cell.usage()
            if used.cpu_seconds - self._start.cpu_seconds >= limits.cpu_seconds:
                return Cause.CPU_LIMIT
            if used.clock_seconds - self._start.clock_seconds >= limits.wall_seconds:
                return Cause.WALL_LIMIT
            if used.peak_memory_bytes > limits.memory_bytes:
                return Cause.MEMORY_LIMIT
            if used.peak_processes >= limits.processes:
                return Cause.PROCESS_LIMIT


_DOWNLOAD = "Download is starting"  # in the words of Playwright
_LAST_WORDS_SECONDS = 0.5
# A renderer that dies of its memory takes what it held with it before anyone can look.
_CLOSE_TO_LIMIT = 0.9


@dataclass(slots=True)
class ShownPage:
    """The result of a page; filled step by step, so that what was reached stays where it is cut off."""

    #: What is said of it.
    judgement: Judgement
    #: The one that is being made.
    step: str = "load"
    #: Image of the page.
    picture: Picture | None = None
    #: What is known of the page beside the image.
    site: SiteResult = field(default_factory=SiteResult)
    #: Steps that were made.
    stages: list[RawStage] = field(default_factory=list)
    #: Whether it failed in a way that the loss of a process outside of the page explains too.
    interrupted: bool = False
    #: Whether a limit ended it, and with it maybe its browser.
    limited: bool = False


class _NoPageError(Exception):
    """There is nothing to show; the message says why."""


async def show(
    browser: Browser,
    page: PreparedPage,
    files: Mapping[str, bytes],
    entry: str,
    job: SiteJob,
    bounds: HtmlSettings,
    spent: Usage,
) -> ShownPage:
    """Show a page of a site.

    Args:
        browser: The browser of the page.
        page: Prepared, not used before.
        files: The site.
        entry: Path of the page.
        job: Options and limits.
        bounds: Settings of the service.
        spent: What earlier steps of the job have used of its limits.

    Raises:
        BrowserError: The browser was gone before it asked for the page.
        KilledError: Something outside killed the browser, or the renderer of the page.
        JailError: A fault of the jail.
    """
    try:
        meter = await Meter.begin(browser.cell, job.limits, spent, browser.answering)
    except CellError as error:
        raise BrowserError(f"the browser is gone: {error}") from None
    page.visit.begin(files)
    shown = ShownPage(verdict.of_end(Cause.SIGNALED, job.limits))
    steps = asyncio.create_task(_steps(page, entry, job, bounds, meter, shown))
    limit = asyncio.create_task(meter.until_limit())
    crash = asyncio.create_task(page.crashed.wait())
    # A browser may wait for ever for a process that it has lost.
    lost = asyncio.create_task(browser.until_lost())
    try:
        ends = {steps, limit, crash, lost, browser.run}
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        if not steps.done() or steps.exception() is not None:
            _require_begun(page, steps, limit)
            shown.picture = None
            await _judge(shown, browser, page, job, meter, steps, limit)
            shown.stages.append(meter.broken_off(shown.step))
    finally:
        for task in (steps, limit, crash, lost):
            task.cancel()
        await asyncio.wait({steps, limit, crash, lost})
    return shown


async def _steps(
    page: PreparedPage, entry: str, job: SiteJob, bounds: HtmlSettings, meter: Meter, shown: ShownPage
) -> None:
    options, visit = job.options, page.visit
    await page.set_window(options)
    try:
        await load(page, url_of(entry))
    except PlaywrightError as error:
        if page.crashed.is_set() or page.page.is_closed():
            raise
        reason = error.message.partition("\n")[0]
        if visit.downloads or _DOWNLOAD in reason:
            reason = "it is something to download"
        raise _NoPageError(f"{entry} cannot be shown: {reason}") from None
    await _next(shown, meter, "settle")
    settled = await settle(page, bounds, meter.clock)
    await _next(shown, meter, "capture")
    shown.judgement = verdict.of_page(visit.exception)
    await _capture(page, job, settled.png, shown)
    await _next(shown, meter, "read")
    text = await read_text(page, bounds.text_bytes) if options.want_text else ""
    elements = await read_elements(page, options.elements) if options.elements else ()
    layout = await read_layout(page, options, bounds) if options.want_blocks else None
    shown.stages.append(await meter.stage(shown.step))
    shown.site = SiteResult(
        title=settled.title,
        text=text,
        elements=elements,
        settled=settled.in_time,
        layout=layout,
    )


async def _next(shown: ShownPage, meter: Meter, step: str) -> None:
    """Account for the step that is done, and name the one that comes."""
    shown.stages.append(await meter.stage(shown.step))
    shown.step = step


async def _capture(page: PreparedPage, job: SiteJob, frame: bytes, shown: ShownPage) -> None:
    options = job.options
    if not options.full_page:
        shown.picture = picture_of(frame)
        return
    width, height = await page_size(page, options)
    if pixels_of(width, height, options.device_scale) > job.limits.pixels:
        scale = options.device_scale
        shown.judgement = verdict.too_many_pixels(width * scale, height * scale, job.limits)
        return
    shown.picture = picture_of(await page_png(page, width, height))


def _require_begun(page: PreparedPage, steps: asyncio.Task[None], limit: asyncio.Task[Cause]) -> None:
    """Check that a job that failed had begun: that its browser had asked for a document of the site.

    Raises:
        BrowserError: It had not, so no code of the site can be the reason.
    """
    error = steps.exception() if steps.done() else None
    ours = error is not None and not isinstance(error, PlaywrightError | JailError | _NoPageError)
    if not (page.visit.begun or limit.done() or ours):
        raise BrowserError(f"the browser was lost before it asked for the page: {error or 'it ended'}")


async def _judge(
    shown: ShownPage,
    browser: Browser,
    page: PreparedPage,
    job: SiteJob,
    meter: Meter,
    steps: asyncio.Task[None],
    limit: asyncio.Task[Cause],
) -> None:
    """Note what is said of a job that did not come to its end."""
    if steps.done() and isinstance(steps.exception(), _NoPageError) and not limit.done():
        shown.judgement = Judgement(Verdict.NO_OUTPUT, str(steps.exception()))
        shown.interrupted = not page.visit.downloads
        return
    if not limit.done():
        # A page fails before the jail has said why its browser or its renderer is gone.
        either = {browser.run, limit}
        await asyncio.wait(either, timeout=_LAST_WORDS_SECONDS, return_when=asyncio.FIRST_COMPLETED)
    cause = _cause(browser, job, meter, limit)
    if cause in (None, Cause.SIGNALED):
        await _require_alive(browser, page)
    shown.limited = cause not in (None, Cause.SIGNALED, Cause.EXITED)
    if cause is not None:
        shown.judgement = verdict.of_end(cause, job.limits)
        return
    error = steps.exception() if steps.done() else None
    if error is not None and not isinstance(error, PlaywrightError | JailError):
        raise error
    if isinstance(error, PlaywrightError) and not page.crashed.is_set():
        reason = error.message.partition("\n")[0]
        shown.judgement = Judgement(Verdict.NO_OUTPUT, f"The page does not stay: {reason}")
        shown.interrupted = True
        return
    shown.judgement = verdict.of_end(Cause.SIGNALED, job.limits)


async def _require_alive(browser: Browser, page: PreparedPage) -> None:
    """Check that nothing outside has ended a page that met no limit.

    Raises:
        KilledError: Something outside killed its browser or its renderer.
    """
    if browser.run.done() and isinstance(error := browser.run.exception(), KilledError):
        raise error
    # Chromium ends a renderer with SIGTERM, and one that fails has a signal of its own.
    if page.crashed.is_set() and await page.crash_signal(_LAST_WORDS_SECONDS) == signal.SIGKILL:
        raise KilledError("something outside killed the renderer of a page")


def _cause(browser: Browser, job: SiteJob, meter: Meter, limit: asyncio.Task[Cause]) -> Cause | None:
    """Return the limit that was passed or how the browser ended, None if neither happened."""
    if limit.done() and limit.exception() is None:
        return limit.result()
    if browser.run.done() and browser.run.exception() is None:
        return browser.run.result().cause
    if meter.peak_memory_bytes >= _CLOSE_TO_LIMIT * job.limits.memory_bytes:
        return Cause.MEMORY_LIMIT
    return None
