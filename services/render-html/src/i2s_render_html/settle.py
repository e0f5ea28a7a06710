"""Load a page and bring it to rest: its clock run on, its animations ended, its frames equal."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from dataclasses import dataclass

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Frame

from i2s_render_html.capture import viewport_png
from i2s_render_html.injected_scripts import CLOCK_HANDLE, text_of
from i2s_render_html.page import PreparedPage, ScriptError
from i2s_render_html.settings import HtmlSettings

_STEP_MS = 100.0
_INNER_PATIENCE = 1.0
_ERROR_PAGE = "chrome-error:"
_ADVANCE = f"(to) => typeof globalThis.{CLOCK_HANDLE} === 'function' ? globalThis.{CLOCK_HANDLE}(to) : null"


class PageClock:
    """The clocks of all frames of a page, moved together."""

    def __init__(self, page: PreparedPage) -> None:
        self._page = page
        self._mute: set[Frame] = set()
        self._now = 0.0

    async def step(self, patience: float, end: float = math.inf) -> bool:
        """Run the timers that are due by now, then move on to the next one that is.

        Args:
            patience: Seconds that scripts may take; what hangs is left alone after that.
            end: End of the clock, in milliseconds from its start; time never passes it.

        Returns:
            Whether there is anything to come before the end.
        """
        due = await self._advance(patience)
        if due is None or due > end:
            return False
        self._now = min(end, max(self._now + _STEP_MS, due))
        return True

    async def _advance(self, patience: float) -> float | None:
        """Return when the next timer is due, in milliseconds; None if no frame has one."""
        main = self._page.page.main_frame
        answers = await asyncio.gather(
            *(
                self._in_frame(frame, patience if frame is main else min(patience, _INNER_PATIENCE))
                for frame in self._page.frames
                if frame not in self._mute and not frame.url.startswith(_ERROR_PAGE)
            )
        )
        return min((answer for answer in answers if answer is not None), default=None)

    async def _in_frame(self, frame: Frame, patience: float) -> float | None:
        try:
            async with asyncio.timeout(patience):
                answer = await frame.evaluate(_ADVANCE, self._now)
        except TimeoutError:
            self._mute.add(frame)  # a document that was refused never answers
            return None
        except PlaywrightError:
            return None  # replaced under way
        # The page can put anything in place of its clock.
        return float(answer) if isinstance(answer, int | float) and math.isfinite(answer) else None


_LOAD_PATIENCE = 0.5
_STATE = "() => document.readyState"
_STEP_PATIENCE = 5.0
_STEPS = 5


@dataclass(frozen=True, slots=True)
class Settled:
    """How a page came to rest."""

    #: The last frame.
    png: bytes
    #: Whether nothing moved and it was equal to the one before, within the bound.
    in_time: bool
    #: Title of the document at that time.
    title: str


async def load(page: PreparedPage, url: str) -> None:
    """Go to a page and wait for its load event; never ends if that never comes.

    Raises:
        playwright.async_api.Error: There is no document at the URL.
    """
    await page.page.goto(url, wait_until="commit", timeout=0)
    clock = PageClock(page)
    while True:
        if await page.visit.loaded(_LOAD_PATIENCE):
            return
        # A document that navigated in vain has no load event any more, and may not even answer.
        if page.visit.strayed or await page.run(_STATE) == "complete":
            return
        # A module may wait for a timer before the page counts as loaded.
        if await page.visit.quiet(_LOAD_PATIENCE):
            await clock.step(_STEP_PATIENCE)


async def settle(page: PreparedPage, bounds: HtmlSettings, seconds: Callable[[], float]) -> Settled:
    """Return the frame at which a page rests, or the last one if it does not within the bounds.

    Args:
        page: The page, which has loaded.
        bounds: Limits on the wait for a page to come to rest.
        seconds: Returns the time, without that in which the machine keeps the page waiting.

    Raises:
        playwright.async_api.Error: The page is gone.
    """
    deadline = seconds() + bounds.settle_seconds
    await _run_clock(page, bounds.script_seconds, deadline, seconds)
    while True:
        documents = page.visit.documents
        state = await _calmed(page, deadline, seconds)
        quiet = await page.visit.quiet(max(0.0, deadline - seconds()))
        # Ask for all at once: the browser draws the second image while it packs the first.
        first, after, second = await asyncio.gather(viewport_png(page), _calm(page), viewport_png(page))
        # A page that reloads itself rests between two documents too, and may look the same.
        stayed = page.visit.documents == documents
        at_rest = quiet and stayed and state.at_rest and after.at_rest and first == second
        if at_rest or seconds() >= deadline:
            return Settled(second, at_rest, after.title)


async def _run_clock(
    page: PreparedPage, script_seconds: float, deadline: float, seconds: Callable[[], float]
) -> None:
    """Move the clock on as long as there are timers to come and no request is under way."""
    clock, end = PageClock(page), script_seconds * 1000
    while (left := deadline - seconds()) > 0:
        await page.visit.quiet(left)
        if not await clock.step(max(0.1, left), end):
            return


@dataclass(frozen=True, slots=True)
class _State:
    """The state of a document: whether it is complete and did not move, and its title."""

    at_rest: bool = False
    title: str = ""


async def _calmed(page: PreparedPage, deadline: float, seconds: Callable[[], float]) -> _State:
    """Take steps towards rest until nothing moves, and return the last state."""
    state = await _calm(page)
    for _ in range(_STEPS):
        if state.at_rest or seconds() >= deadline:
            break
        state = await _calm(page)
    return state


async def _calm(page: PreparedPage) -> _State:
    """Take one step towards rest."""
    try:
        async with asyncio.timeout(_STEP_PATIENCE):
            state = await page.run(text_of("calm"))
    except (ScriptError, TimeoutError):
        return _State()
    return _State(bool(state["ready"]) and state["moved"] == 0, str(state["title"]))
