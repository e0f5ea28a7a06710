"""Whether Chromium's own sandbox works inside the jail, and what it is made of here."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from i2s_chassis.jail import Jail, ProcessIsolation
from i2s_render_html.browser import Browser, BrowserSettings
from i2s_render_html.errors import BrowserError

_PIPE = "--remote-debugging-pipe"
_RENDERER = "--type=renderer"
_log = logging.getLogger(__name__)


async def choose_sandbox(
    jail: Jail, settings: BrowserSettings, wanted: Literal["auto", "on", "off"]
) -> tuple[BrowserSettings, str]:
    """Start a browser with its own sandbox, and without one only if that fails and may.

    Args:
        jail: Where browsers run.
        settings: Settings of browsers; ``sandbox`` is set anew.
        wanted: By the operator.

    Returns:
        The settings that work here, and what the sandbox is made of; empty if it is off.

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
            refusal = "its renderers have no isolation of their own"
    if wanted == "on":
        raise BrowserError(f"--browser-sandbox on: Chromium's own sandbox does not work here: {refusal}")
    settings = replace(settings, sandbox=False)
    await layers_of(jail, settings)
    if refusal:
        _log.warning("Chromium's own sandbox is off", extra={"fields": {"reason": refusal[:1000]}})
    return settings, ""


async def layers_of(jail: Jail, settings: BrowserSettings) -> str:
    """Start a browser and return what its sandbox is made of, as the kernel has it; empty for none.

    Raises:
        BrowserError: It does not start, or shows no page.
        JailError: A fault of the jail.
    """
    browser = await Browser.start(jail, settings)
    try:
        return layers_in(await browser.cell.process_isolation())
    finally:
        await browser.close()


def layers_in(isolation: Sequence[ProcessIsolation]) -> str:
    """Return what stands around every renderer and not around the browser, such as "namespace, seccomp-bpf".

    Args:
        isolation: Around each process of the browser's cell, parents before children.
    """
    renderers = [one for one in isolation if _RENDERER in one.command]
    browser = next((one for one in isolation if "--type=" not in one.command and _PIPE in one.command), None)
    if browser is None or not renderers:
        return ""
    layers = []
    if all(one.pid_namespaces > browser.pid_namespaces for one in renderers):
        layers.append("namespace")
    if all(one.call_filters > browser.call_filters for one in renderers):
        layers.append("seccomp-bpf")
    return ", ".join(layers)
