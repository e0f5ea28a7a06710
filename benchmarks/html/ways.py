"""Sites, and the ways from a site to an image that are compared."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import signal
import socket
import sys
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

from playwright.async_api import Browser, BrowserType, async_playwright

from benchmarks.harness.command import MeasurementError
from i2s_chassis.jail import Jail, JailSettings
from i2s_render_html.browser import BrowserSettings
from i2s_render_html.chromium import find_chromium
from i2s_render_html.engine import HtmlEngine
from i2s_render_html.jekyll import JekyllBuilder, JekyllSettings
from i2s_render_html.model import SiteJob
from i2s_render_html.sandbox import choose_sandbox
from i2s_render_html.settings import HtmlSettings
from i2s_sdk.instances.site_files import read_tar
from i2s_wire.render.request import File

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
_SERVE_SECONDS = 60.0
_GAP_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Site:
    """A site: its name, and its files by path."""

    name: str
    files: dict[str, bytes]

    def job(self) -> SiteJob:
        """Return what the renderer is asked."""
        return SiteJob(tuple(File(path, content) for path, content in self.files.items()))

    def write(self, folder: Path) -> None:
        """Write the files into a folder."""
        for path, content in self.files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)


def read_sites(data: Path = EXAMPLES) -> list[Site]:
    """Return the sites of a data set, in the order of their names."""
    rows = map(json.loads, (data / "instances.jsonl").read_text(encoding="utf-8").splitlines())
    archives = {row["id"]: data / row["structure"] for row in rows if row["task"] == "webpage"}
    return [Site(name, read_tar(archives[name].read_bytes())) for name in sorted(archives)]


@contextlib.asynccontextmanager
async def open_engine(
    browsers: int, uid_base: int = 47_000, *, control_groups: bool = True
) -> AsyncIterator[HtmlEngine]:
    """Open the renderer's engine with the defaults of the service, in its jail.

    Args:
        browsers: How many pages can be shown at once.
        uid_base: First of the user ids of jobs; two engines that are open at once need different ones.
        control_groups: Whether control groups count the processes of a browser. Without them it is traced.
    """
    settings = HtmlSettings(slots=browsers)
    jail = await Jail.start(JailSettings(uid_base=uid_base, control_groups=control_groups))
    try:
        wanted = BrowserSettings(settings, find_chromium(settings.chromium))
        async with JekyllBuilder(jail, JekyllSettings(processes=browsers, limits=settings.limit)) as builder:
            choice = await choose_sandbox(jail, wanted, "auto")
            engine = HtmlEngine(choice, jail, builder)
            async with engine.open():
                yield engine
    finally:
        await jail.close()


async def prepared(engine: HtmlEngine, site: Site) -> bytes:
    """Render a site with the engine.

    Raises:
        MeasurementError: It was not rendered.
    """
    rendering = await engine.render(site.job())
    if rendering.picture is None:
        raise MeasurementError(f"{site.name}: {rendering.verdict.name}: {rendering.message}")
    return rendering.picture.png


async def at_rest() -> None:
    """Let the engine prepare its next page, as it does between the jobs of a service with time to spare."""
    await asyncio.sleep(_GAP_SECONDS)


@contextlib.asynccontextmanager
async def open_playwright() -> AsyncIterator[BrowserType]:
    """Start Playwright, which launches browsers."""
    async with async_playwright() as playwright:
        yield playwright.chromium


@dataclass(frozen=True, slots=True)
class Plain:
    """A browser as Playwright starts it for one page."""

    playwright: BrowserType
    program: Path

    async def launch(self) -> Browser:
        """Start a browser."""
        flags = ["--no-sandbox"] if os.geteuid() == 0 else []
        return await self.playwright.launch(executable_path=str(self.program), args=flags)


async def _shoot(plain: Plain, url: str) -> bytes:
    browser = await plain.launch()
    try:
        page = await browser.new_page(viewport={"width": 1920, "height": 1080})
        await page.goto(url, wait_until="load")
        return await page.screenshot()
    finally:
        await browser.close()


async def launched(plain: Plain, folder: Path) -> bytes:
    """Show a built site in a browser of its own: launch, load, screenshot, close."""
    return await _shoot(plain, (folder / "index.html").as_uri())


async def served(plain: Plain, source: Path) -> bytes:
    """Show a site as the reference implementation does: `jekyll serve`, a browser of its own.

    Raises:
        MeasurementError: Jekyll does not serve.
    """
    with tempfile.TemporaryDirectory() as out, socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
        free.close()
        command = ["jekyll", "serve", "--no-watch", "--port", str(port), "-s", str(source), "-d", out]
        process = await asyncio.create_subprocess_exec(
            *command,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            await _listening(process, port)
            return await _shoot(plain, f"http://127.0.0.1:{port}/")
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()


async def _listening(process: asyncio.subprocess.Process, port: int) -> None:
    async with asyncio.timeout(_SERVE_SECONDS):
        while True:
            if process.returncode is not None:
                raise MeasurementError(f"jekyll serve ended with {process.returncode}")
            with contextlib.suppress(OSError):
                _, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.close()
                return
            await asyncio.sleep(0.01)


async def build(source: Path, out: Path) -> None:
    """Build a site with plain Jekyll.

    Raises:
        MeasurementError: Jekyll refused it.
    """
    if shutil.which("jekyll") is None:
        raise MeasurementError("jekyll is not installed; install it with: apt-get install jekyll")
    process = await asyncio.create_subprocess_exec(
        "jekyll", "build", "--quiet", "-s", str(source), "-d", str(out), stdout=sys.stderr
    )
    if await process.wait():
        raise MeasurementError(f"jekyll build of {source} failed")
