"""Load a page and bring it to rest: its clock run on, its animations ended, its frames equal."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from i2s_render_html.capture import viewport_png
from i2s_render_html.clock import PageClock
from i2s_render_html.injected import text_of
from i2s_render_html.page import PreparedPage, ScriptError

_LOAD_PATIENCE = 0.5
_STATE = "() => document.readyState"
_STEP_PATIENCE = 5.0
_STEPS = 5


@dataclass(frozen=True, slots=True)
class SettleBounds:
    """Bounds of coming to rest.

    Attributes:
        settle_seconds: Maximum on our clock, from the end of loading.
        script_seconds: Maximum on the clock of the page.
    """

    settle_seconds: float
    script_seconds: float


@dataclass(frozen=True, slots=True)
class Settled:
    """How a page came to rest.

    Attributes:
        png: The last frame.
        in_time: Whether nothing moved and it was equal to the one before, within the bound.
        title: Title of the document at that time.
    """

    png: bytes
    in_time: bool
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


async def settle(page: PreparedPage, bounds: SettleBounds, seconds: Callable[[], float]) -> Settled:
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
        # Ask for all at once: the browser draws the second picture while it packs the first.
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
    """What a document said: whether it is complete and did not move, and its title."""

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
