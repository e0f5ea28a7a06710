"""The service: opens jail, browsers and Jekyll, passes the canary, provides its servicer."""

from __future__ import annotations

import asyncio
import functools
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path

from i2s_chassis.errors import EngineError, StartError
from i2s_chassis.jail import Jail, JailError
from i2s_chassis.jail.work_folder import WorkFolder
from i2s_chassis.limits import Limits
from i2s_chassis.renderer import open_jail
from i2s_chassis.renderer.start_checks import canary_limits, canary_required, check_canary
from i2s_chassis.server.service import Chassis, Register
from i2s_render_html.browser import BrowserSettings
from i2s_render_html.chromium import find_chromium
from i2s_render_html.engine import HtmlEngine
from i2s_render_html.jekyll import JekyllBuilder, JekyllError, JekyllSettings
from i2s_render_html.model import Options, SiteJob, SiteRendering
from i2s_render_html.sandbox import choose_sandbox
from i2s_render_html.servicer import HtmlServicer
from i2s_render_html.settings import HtmlSettings
from i2s_render_html.site import ORIGIN
from i2s_wire.render.request import File

_PAGE = (
    b"<!DOCTYPE html><title>Canary</title><script src=tweet.js></script><img src=http://169.254.169.254/x>"
)
_SCRIPT = b"document.documentElement.dataset.now = Date.now(); document.write('<h1>tweet</h1>')"
_SITE = (File("index.html", _PAGE), File("tweet.js", _SCRIPT))
_JEKYLL_SITE = (File("index.html", b"---\ntitle: Canary\n---\n<h1>{{ page.title | downcase }}</h1>\n"),)


async def canary(engine: HtmlEngine, limits: Limits) -> None:
    """Render a small site twice, and one through Jekyll if there is Jekyll.

    Args:
        engine: The engine.
        limits: Limits of each rendering.

    Raises:
        EngineError: It did not become an image, or not the same twice; says why.
    """
    job = SiteJob(_SITE, options=Options(want_text=True), limits=limits)
    first, second = _shown(await engine.render(job), "tweet"), _shown(await engine.render(job), "tweet")
    if first != second:
        raise EngineError("the canary looks different when it is rendered again")
    if engine.has_jekyll:
        _shown(await engine.render(replace(job, files=_JEKYLL_SITE)), "canary")


def _shown(rendering: SiteRendering, text: str) -> bytes:
    site = check_canary(rendering).site
    if site.text.strip() != text:
        raise EngineError(f"the canary shows {site.text[:100]!r} instead of {text!r}")
    return rendering.pictures[0].png


class HtmlService:
    """Chromium and Jekyll behind the wire."""

    name = "render-html"
    wire_names = ("i2s.render.v1.RenderService",)

    def __init__(self, settings: HtmlSettings) -> None:
        self._settings = settings

    @asynccontextmanager
    async def open(self, chassis: Chassis) -> AsyncIterator[Register]:
        """Come up, pass the canary, give out the servicer; see `i2s_chassis.server.service.Service`.

        Raises:
            StartError: Something is missing on this machine.
        """
        settings, telemetry = self._settings, chassis.telemetry
        forget_settings()
        async with AsyncExitStack() as stack:
            jail = await stack.enter_async_context(open_jail(settings, chassis))
            chromium = await asyncio.to_thread(
                find_chromium, settings.chromium, settings.fonts, settings.font_source
            )
            builder = await _jekyll(settings, jail, chassis, stack)
            with canary_required(telemetry):
                wanted = BrowserSettings(settings, chromium, stack.enter_context(folder_of_drivers()))
                choice = await choose_sandbox(jail, wanted, settings.browser_sandbox)
                telemetry.isolation("browser", on=bool(choice.layers))
                on_ready = functools.partial(telemetry.warm, "browser")
                engine = HtmlEngine(choice, jail, builder, on_recycle=telemetry.recycle, on_ready=on_ready)
                await stack.enter_async_context(engine.open())
                await canary(engine, canary_limits(settings.limit_table()))
            yield HtmlServicer(engine, settings, chassis).registration()


def forget_settings() -> None:
    """Take our settings, secrets among them, out of the environment that Playwright's driver inherits."""
    for name in [name for name in os.environ if name.startswith("I2S_")]:
        del os.environ[name]


@contextmanager
def folder_of_drivers() -> Iterator[Path]:
    """Make a folder that Playwright's drivers take for the system's temporary one as long as the block lasts.

    They make profiles and artifacts there, which nobody removes if a driver is killed.
    """
    before = os.environ.get("TMPDIR")
    with WorkFolder("html") as folder:
        os.environ["TMPDIR"] = str(folder.path)  # drivers inherit the environment and cannot be given another
        try:
            yield folder.path
        finally:
            if before is None:
                del os.environ["TMPDIR"]
            else:
                os.environ["TMPDIR"] = before


async def _jekyll(
    settings: HtmlSettings, jail: Jail, chassis: Chassis, stack: AsyncExitStack
) -> JekyllBuilder | None:
    if settings.jekyll_processes == 0:
        return None
    wanted = JekyllSettings(
        processes=settings.jekyll_processes, limits=settings.limit, origin=ORIGIN, epoch=settings.clock
    )
    telemetry = chassis.telemetry
    builder = JekyllBuilder(
        jail, wanted, on_recycle=telemetry.recycle, on_ready=functools.partial(telemetry.warm, "jekyll")
    )
    try:
        return await stack.enter_async_context(builder)
    except (JekyllError, JailError) as error:
        raise StartError(f"{error}; --jekyll-processes 0 serves without Jekyll") from error
