"""A page that is prepared before its job comes, used once, and closed."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from playwright.async_api import Browser as PlaywrightBrowser
from playwright.async_api import BrowserContext, CDPSession, Frame, Page
from playwright.async_api import Error as PlaywrightError

from i2s_chassis.jail import PolicyKind
from i2s_render_html.injected_scripts import clock_script, text_of
from i2s_render_html.model import Options
from i2s_render_html.settings import HtmlSettings
from i2s_render_html.visit import Visit

_WORLD = "i2s"
# A document that is replaced while we look at it is looked at again; navigations are bounded.
_TRIES = 40
_PAUSE = 0.05
_MOST_FRAMES = 50
_MOST_CRASHES = 100


class ScriptError(Exception):
    """A script of ours met a document that breaks it: its maker has tampered with what is in every page."""


class CrashSignals:
    """The signals that ended the renderers of pages, as their browser reports them."""

    def __init__(self) -> None:
        self._signals: dict[str, int] = {}
        self._told = asyncio.Condition()
        self._notices: set[asyncio.Task[None]] = set()

    async def listen(self, browser: PlaywrightBrowser) -> None:
        """Have a browser report them.

        Raises:
            playwright.async_api.Error: The browser is gone.
        """
        session = await browser.new_browser_cdp_session()
        session.on("Target.targetCrashed", self._take)
        await session.send("Target.setDiscoverTargets", {"discover": True})

    def _take(self, event: dict[str, Any]) -> None:
        notice = asyncio.create_task(self._note(str(event["targetId"]), int(event["errorCode"])))
        self._notices.add(notice)
        notice.add_done_callback(self._notices.discard)

    async def _note(self, target: str, signal: int) -> None:
        async with self._told:
            while len(self._signals) >= _MOST_CRASHES:
                del self._signals[next(iter(self._signals))]
            self._signals[target] = signal
            self._told.notify_all()

    async def of(self, target: str, patience: float) -> int | None:
        """Return the signal that ended the renderer of a page; None if it is not reported in time.

        Args:
            target: Identifier of the page.
            patience: Seconds to wait for the report, which follows the end of the page.
        """
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(patience), self._told:
                await self._told.wait_for(lambda: target in self._signals)
        return self._signals.get(target)


class PreparedPage:
    """One page in a context of its own.

    Attributes:
        visit: What happens on it.
        crashed: Set when its renderer has died.
    """

    def __init__(
        self, context: BrowserContext, page: Page, session: CDPSession, visit: Visit, crashes: CrashSignals
    ) -> None:
        self._context, self.page, self.session, self.visit = context, page, session, visit
        self._crashes = crashes
        self.crashed = asyncio.Event()
        self._frame_id = ""
        self._window: tuple[int, int, float] | None = None
        self._world: int | None = None
        self._closings: set[asyncio.Task[None]] = set()
        self._listen()

    @classmethod
    async def prepare(
        cls, browser: PlaywrightBrowser, bounds: HtmlSettings, crashes: CrashSignals
    ) -> PreparedPage:
        """Open a page that waits for its job.

        Raises:
            playwright.async_api.Error: The browser is gone.
        """
        default = Options()
        context = await browser.new_context(
            viewport={"width": default.width, "height": default.height},
            device_scale_factor=default.device_scale,
            service_workers="block",
            accept_downloads=False,
            locale="en-US",
            timezone_id="UTC",
            color_scheme="light",
        )
        visit = Visit(bounds)
        await context.add_init_script(f"{text_of('window')}\n{clock_script(bounds.clock)}")
        await context.route("**/*", visit.answer)
        page = await context.new_page()
        session = await context.new_cdp_session(page)
        prepared = cls(context, page, session, visit, crashes)
        tree = await session.send("Page.getFrameTree")
        prepared._frame_id = tree["frameTree"]["frame"]["id"]
        await prepared.set_window(default)
        return prepared

    async def crash_signal(self, patience: float) -> int | None:
        """Return the signal that ended its renderer; None if that is not reported within so many seconds."""
        return await self._crashes.of(self._frame_id, patience)  # its first frame and the page have one name

    def _listen(self) -> None:
        page, visit = self.page, self.visit
        page.on("crash", lambda _: self.crashed.set())
        page.on("load", lambda _: visit.has_loaded())
        page.on("request", visit.started)
        page.on("requestfinished", visit.ended)
        page.on("requestfailed", visit.ended)
        page.on("console", visit.said)
        page.on("pageerror", visit.raised)
        page.on("dialog", visit.dismiss)
        page.on("download", visit.refuse)
        page.on("websocket", visit.socket)
        self._context.on("page", self._refuse_popup)

    def _refuse_popup(self, popup: Page) -> None:
        if popup is self.page:
            return
        self.visit.prevented(PolicyKind.BROWSER_FEATURE, "popup")
        closing = asyncio.create_task(_close(popup))
        self._closings.add(closing)
        closing.add_done_callback(self._closings.discard)

    async def set_window(self, options: Options) -> None:
        """Give the page the window that a job asks for.

        It holds whatever the page does; Playwright's own, of the context, gives way to ``resizeTo``.
        """
        if (options.width, options.height, options.device_scale) == self._window:
            return
        await self.session.send(
            "Emulation.setDeviceMetricsOverride",
            {
                "width": options.width,
                "height": options.height,
                "deviceScaleFactor": options.device_scale,
                "mobile": False,
            },
        )
        self._window = options.width, options.height, options.device_scale

    async def run(self, function: str, argument: object = None) -> Any:  # noqa: ANN401 - JSON
        """Run a function in the document, in a world of our own that the page cannot reach.

        Args:
            function: JavaScript; may return a promise.
            argument: Argument of the function, as JSON.

        Returns:
            What it returned, as JSON.

        Raises:
            ScriptError: It threw.
            playwright.async_api.Error: The document kept being replaced, or the page is gone.
        """
        for chance in range(_TRIES):
            try:
                return await self._run(function, argument)
            except PlaywrightError:
                # The document was replaced, and its worlds with it.
                self._world = None
                if chance == _TRIES - 1 or self.page.is_closed() or self.crashed.is_set():
                    raise
                await asyncio.sleep(_PAUSE)
        raise AssertionError("every chance returns or raises")

    async def _run(self, function: str, argument: object) -> Any:  # noqa: ANN401
        if self._world is None:
            made = await self.session.send(
                "Page.createIsolatedWorld", {"frameId": self._frame_id, "worldName": _WORLD}
            )
            self._world = made["executionContextId"]
        answer = await self.session.send(
            "Runtime.callFunctionOn",
            {
                "functionDeclaration": function,
                "executionContextId": self._world,
                "arguments": [{"value": argument}],
                "awaitPromise": True,
                "returnByValue": True,
            },
        )
        if "exceptionDetails" in answer:
            raise ScriptError(str(answer["exceptionDetails"].get("text", "")))
        return answer["result"].get("value")

    @property
    def frames(self) -> list[Frame]:
        """The document and those inside of it, bounded."""
        return self.page.frames[:_MOST_FRAMES]

    async def close(self) -> None:
        """Close the page and everything it opened.

        Raises:
            playwright.async_api.Error: The browser is gone.
        """
        for closing in self._closings:
            closing.cancel()
        await asyncio.gather(*self._closings, return_exceptions=True)
        await self._context.close()


async def _close(page: Page) -> None:
    with contextlib.suppress(PlaywrightError):
        await page.close()
