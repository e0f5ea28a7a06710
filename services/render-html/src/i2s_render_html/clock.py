"""Move the clocks of a page's frames, which stand still by themselves."""

from __future__ import annotations

import asyncio
import math

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Frame

from i2s_render_html.injected import CLOCK_HANDLE
from i2s_render_html.page import PreparedPage

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
