"""Whether Chromium's own sandbox works inside the jail, and what it is made of here."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from i2s_chassis.jail import Jail, ProcessIsolation, Tier
from i2s_render_html.browser import Browser, BrowserSettings
from i2s_render_html.model import BrowserError

_PIPE = "--remote-debugging-pipe"
_RENDERER = "--type=renderer"
_STARTS = 3  # of a browser with its sandbox, before that is said not to work: something may have killed one
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SandboxChoice:
    """The settings that were chosen, and the browser that has shown that they work."""

    #: Settings of browsers that work here.
    settings: BrowserSettings
    #: What their own sandbox is made of, as the kernel has it; empty if it is off.
    layers: str
    #: A browser that was started with them. Whoever chooses closes it.
    browser: Browser


async def choose_sandbox(
    jail: Jail, settings: BrowserSettings, wanted: Literal["auto", "on", "off"]
) -> SandboxChoice:
    """Start a browser with its own sandbox, and without one only if that fails each time and may.

    It may not in the tier namespace, whose user namespaces are what that sandbox is made of.

    Args:
        jail: Where browsers run.
        settings: Settings of browsers; ``sandbox`` is set anew.
        wanted: Sandbox that the operator wants.

    Raises:
        BrowserError: No browser starts, or none with the sandbox that is wanted.
        JailError: A fault of the jail.
    """
    refusal, fault = "", None
    for _ in range(_STARTS if wanted != "off" else 0):
        try:
            choice = await _started(jail, replace(settings, sandbox=True))
        except BrowserError as error:
            refusal, fault = str(error), error
            about = {"reason": refusal[:1000]}
            _log.warning("a browser with its own sandbox does not start", extra={"fields": about})
        else:
            if choice.layers:
                return choice
            await choice.browser.close()
            refusal, fault = "its renderers have no isolation of their own", None
    if wanted == "on":
        raise BrowserError(
            f"--browser-sandbox on: Chromium's own sandbox does not work here: {refusal}"
        ) from fault
    if wanted == "auto" and jail.isolation.tier is Tier.NAMESPACE:
        raise BrowserError(
            "Chromium's own sandbox does not work here, although the tier namespace does: "
            f"{refusal}; --browser-sandbox off serves without it"
        ) from fault
    choice = await _started(jail, replace(settings, sandbox=False))
    if refusal:
        _log.warning("Chromium's own sandbox is off", extra={"fields": {"reason": refusal[:1000]}})
    return choice


async def _started(jail: Jail, settings: BrowserSettings) -> SandboxChoice:
    browser = await Browser.start(jail, settings)
    try:
        return SandboxChoice(settings, layers_in(await browser.cell.process_isolation()), browser)
    except BaseException:
        await browser.close()
        raise


def layers_in(isolation: Sequence[ProcessIsolation]) -> str:
    """Return what stands around every renderer and not around the browser, such as "namespace, seccomp-bpf".

    Args:
        isolation: Around each process of the browser's cell, parents before children.
    """
    renderers = [
        process_isolation for process_isolation in isolation if _RENDERER in process_isolation.command
    ]
    browser = next(
        (
            process_isolation
            for process_isolation in isolation
            if "--type=" not in process_isolation.command and _PIPE in process_isolation.command
        ),
        None,
    )
    if browser is None or not renderers:
        return ""
    layers = []
    if all(renderer.pid_namespaces > browser.pid_namespaces for renderer in renderers):
        layers.append("namespace")
    if all(renderer.call_filters > browser.call_filters for renderer in renderers):
        layers.append("seccomp-bpf")
    return ", ".join(layers)
