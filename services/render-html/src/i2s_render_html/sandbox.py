"""Whether Chromium's own sandbox works inside the jail, and what it is made of here."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import Literal

from playwright.async_api import Error as PlaywrightError

from i2s_chassis.jail import Jail
from i2s_render_html.browser import Browser, BrowserSettings
from i2s_render_html.errors import BrowserError

_PAGE = "chrome://sandbox"
_PROCESSES = "Layer 1 Sandbox"
_CALLS = "Seccomp-BPF sandbox"
_SECONDS = 20.0
_log = logging.getLogger(__name__)


async def choose_sandbox(
    jail: Jail, settings: BrowserSettings, wanted: Literal["auto", "on", "off"]
) -> tuple[BrowserSettings, str]:
    """Start a browser with its own sandbox, and without one only where that fails and may.

    Args:
        jail: Where browsers run.
        settings: Of browsers; ``sandbox`` is set anew.
        wanted: By the operator.

    Returns:
        The settings that work here, and what the sandbox is made of; empty where it is off.

    Raises:
        BrowserError: No browser starts.
        JailError: A fault of the jail.
    """
    refusal = ""
    if wanted != "off":
        settings = replace(settings, sandbox=True)
        try:
            layers = await layers_of(jail, settings)
        except BrowserError as error:
            refusal = str(error)
        else:
            if layers:
                return settings, layers
            refusal = "Chromium says that it has no sandbox"
    if wanted == "on":
        raise BrowserError(f"--browser-sandbox on: Chromium's own sandbox does not work here: {refusal}")
    settings = replace(settings, sandbox=False)
    await layers_of(jail, settings)
    if refusal:
        _log.warning("Chromium's own sandbox is off", extra={"fields": {"reason": refusal[:1000]}})
    return settings, ""


async def layers_of(jail: Jail, settings: BrowserSettings) -> str:
    """Start a browser and return what it says its sandbox is made of; empty for none.

    Raises:
        BrowserError: It does not start, or does not say.
        JailError: A fault of the jail.
    """
    browser = await Browser.start(jail, settings)
    try:
        async with asyncio.timeout(_SECONDS):
            context = await browser.driven.new_context()
            page = await context.new_page()
            await page.goto(_PAGE)
            return parse_layers(await page.locator("body").inner_text())
    except (TimeoutError, PlaywrightError) as error:
        raise BrowserError(f"Chromium does not say how it is sandboxed: {error}") from None
    finally:
        await browser.close()


def parse_layers(text: str) -> str:
    """Return the layers that the page chrome://sandbox names, such as "namespace, seccomp-bpf"."""
    rows = dict(line.split("\t", 1) for line in text.splitlines() if "\t" in line)
    layers = []
    first = rows.get(_PROCESSES, "None").strip().lower()
    if first not in ("none", "no", ""):
        layers.append(first)
    if rows.get(_CALLS, "No").strip().lower() == "yes":
        layers.append("seccomp-bpf")
    return ", ".join(layers)
