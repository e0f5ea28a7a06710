"""The events while a page is shown: what it asks for, what it says, and what is refused."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from email.utils import formatdate

from playwright.async_api import ConsoleMessage, Dialog, Download, Request, Route, WebSocket
from playwright.async_api import Error as PlaywrightError

from i2s_chassis.jail import PolicyEvent, PolicyKind
from i2s_chassis.renderer.bounds import shown
from i2s_render_html.settings import HtmlSettings
from i2s_render_html.site import find, is_ours, path_of
from i2s_wire.render.site import ConsoleEntry

_MOST_TEXT = 1000
_MOST_DETAIL = 200
_MOST_MISSING = 100
_MOST_EVENTS = 100
_MOST_FRAMES = 100
_REFUSED_FILE = "Not allowed to load local resource: "
_LEVELS = {"warning": "warning", "error": "error", "assert": "error"}
_NOT_FOUND = b"<!DOCTYPE html><title>404 Not Found</title><h1>Not Found</h1>"


class Visit:
    """One page's doings. Given to Playwright as the answer to everything.

    Attributes:
        missing: Paths that were asked for and are not there.
        console: What was said.
        exception: The first uncaught exception; empty for none.
        downloads: Whether something was to be downloaded.
    """

    def __init__(self, bounds: HtmlSettings) -> None:
        self._bounds = bounds
        self._files: Mapping[str, bytes] = {}
        self._headers = {
            "cache-control": "no-store",
            "last-modified": formatdate(bounds.clock, usegmt=True),
        }
        self._documents = self._frames = 0
        self._pending: set[Request] = set()
        self._quiet = asyncio.Event()
        self._quiet.set()
        self._loaded = asyncio.Event()
        self._events: dict[tuple[PolicyKind, str], int] = {}
        self._missing: dict[str, None] = {}
        self.console: list[ConsoleEntry] = []
        self.exception = ""
        self.downloads = False

    def begin(self, files: Mapping[str, bytes]) -> None:
        """Serve this site from now on."""
        self._files = files

    @property
    def missing(self) -> tuple[str, ...]:
        """Files that were asked for and are not there, in the order of asking."""
        return tuple(self._missing)

    @property
    def events(self) -> tuple[PolicyEvent, ...]:
        """The attempts that were prevented."""
        return tuple(PolicyEvent(kind, detail, count) for (kind, detail), count in self._events.items())

    def prevented(self, kind: PolicyKind, detail: str) -> None:
        """Note that something was refused."""
        key = kind, detail[:_MOST_DETAIL]
        if key in self._events or len(self._events) < _MOST_EVENTS:
            self._events[key] = self._events.get(key, 0) + 1

    async def loaded(self, seconds: float) -> bool:
        """Wait for a load event, so long at most; returns whether there was one."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._loaded.wait()
        return self._loaded.is_set()

    def has_loaded(self) -> None:
        """A document of the page had its load event."""
        self._loaded.set()

    @property
    def begun(self) -> bool:
        """Whether the page has asked for a document: before that no code of the site has run."""
        return self._documents > 0

    @property
    def documents(self) -> int:
        """How many documents the page and its frames have asked for, up to those that they may go through."""
        return min(self._documents, self._bounds.navigations) + min(self._frames, _MOST_FRAMES)

    @property
    def strayed(self) -> bool:
        """Whether the page has been kept from navigating any further."""
        return self._documents > self._bounds.navigations

    async def quiet(self, seconds: float) -> bool:
        """Wait until no request is under way; returns whether that came in time."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._quiet.wait()
        return self._quiet.is_set()

    # -- requests ------------------------------------------------------------------------

    async def answer(self, route: Route) -> None:
        """Answer a request from memory, or refuse it."""
        # The page may be gone when the answer comes.
        with contextlib.suppress(PlaywrightError):
            request = route.request
            if not is_ours(request.url):
                self.prevented(PolicyKind.NETWORK, f"{request.method} {request.url[:_MOST_DETAIL]}")
                # A refused document leaves the page where it is.
                await route.abort("aborted" if request.is_navigation_request() else "blockedbyclient")
            elif request.is_navigation_request() and not self._may_navigate(request):
                await route.abort("aborted")
            else:
                await self._serve(route)

    def _may_navigate(self, request: Request) -> bool:
        if _is_inner(request):
            self._frames += 1
            if self._frames <= _MOST_FRAMES:
                return True
            self.prevented(PolicyKind.BROWSER_FEATURE, f"more than {_MOST_FRAMES} documents in frames")
            return False
        self._documents += 1
        if self._documents <= self._bounds.navigations:
            return True
        self.prevented(PolicyKind.BROWSER_FEATURE, f"more than {self._bounds.navigations} navigations")
        return False

    async def _serve(self, route: Route) -> None:
        url = route.request.url
        served = find(self._files, url)
        if served is None:
            self._note_missing(path_of(url))
            headers = {**self._headers, "content-type": "text/html; charset=utf-8"}
            await route.fulfill(status=404, headers=headers, body=_NOT_FOUND)
            return
        headers = {**self._headers, "content-type": served.media_type}
        await route.fulfill(status=200, headers=headers, body=self._files[served.path])

    def _note_missing(self, path: str) -> None:
        # The browser asks for it by itself.
        if path != "favicon.ico" and len(self._missing) < _MOST_MISSING:
            self._missing.setdefault(shown(path))

    def started(self, request: Request) -> None:
        """Note that a request has begun."""
        self._pending.add(request)
        self._quiet.clear()

    def ended(self, request: Request) -> None:
        """Note that a request has ended, with or without an answer."""
        self._pending.discard(request)
        if not self._pending:
            self._quiet.set()

    # -- what it says and tries ------------------------------------------------------------

    def said(self, message: ConsoleMessage) -> None:
        """Note a message of the page or the browser on the console."""
        text = message.text
        if text.startswith(_REFUSED_FILE):
            self.prevented(PolicyKind.FILE_READ, text.removeprefix(_REFUSED_FILE))
        self._say(_LEVELS.get(message.type, "log"), text)

    def raised(self, error: PlaywrightError) -> None:
        """Note an exception that no script caught."""
        self.exception = self.exception or error.message[:_MOST_TEXT]
        self._say("exception", error.message)

    def _say(self, level: str, text: str) -> None:
        if len(self.console) < self._bounds.console_entries:
            self.console.append(ConsoleEntry(level, text[:_MOST_TEXT]))

    async def dismiss(self, dialog: Dialog) -> None:
        """Close a dialog that the page has opened."""
        self.prevented(PolicyKind.BROWSER_FEATURE, f"dialog: {dialog.type}")
        with contextlib.suppress(PlaywrightError):
            await dialog.dismiss()

    async def refuse(self, download: Download) -> None:
        """Refuse a download."""
        self.downloads = True
        self.prevented(PolicyKind.BROWSER_FEATURE, f"download: {shown(download.suggested_filename)}")
        with contextlib.suppress(PlaywrightError):
            await download.cancel()

    def socket(self, socket: WebSocket) -> None:
        """Note a WebSocket that was opened; nothing answers it."""
        self.prevented(PolicyKind.NETWORK, f"WebSocket {socket.url[:_MOST_DETAIL]}")


def _is_inner(request: Request) -> bool:
    """Whether a document is asked for by a frame inside of the page."""
    try:
        return request.frame.parent_frame is not None
    except PlaywrightError:  # Playwright knows the frame only later, as for the page itself
        return False
