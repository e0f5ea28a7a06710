"""The service: opens jail and engine, passes the canary, provides its servicer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace

from i2s_chassis.limits import Limits
from i2s_chassis.renderer import open_jail
from i2s_chassis.renderer.start_checks import (
    canary_limits,
    canary_required,
    check_canary,
    check_same_canary,
)
from i2s_chassis.server.service import Chassis, Register
from i2s_render_lilypond.engine import LilypondEngine, open_engine
from i2s_render_lilypond.installation import find_installation
from i2s_render_lilypond.model import LilypondJob, Options
from i2s_render_lilypond.servicer import LilypondServicer
from i2s_render_lilypond.settings import LilypondSettings

#: Every step takes part: music, text, and an old command, which without convert-ly is an error.
_SCORE = rb"""\version "2.10.0"
\header { title = "Canary" }
\relative c' { \key g \major \setTextCresc g'4\p a( b) \times 2/3 { c8 b a } | d2. r4 \bar "|." }
"""


async def canary(engine: LilypondEngine, limits: Limits) -> None:
    """Render a small score cold, and warm if processes stand ready: the same bytes.

    Args:
        engine: The engine.
        limits: Limits of each rendering; a warm process serves the defaults of the service, except for times.

    Raises:
        EngineError: It did not become an image, or not the same one; says why.
    """
    job = LilypondJob(_SCORE, options=Options(cold=True), limits=limits)
    cold = check_canary(await engine.render(job))
    if engine.zygotes is not None:
        check_same_canary(cold, await engine.render(replace(job, options=Options())))


class LilypondService:
    """LilyPond behind the wire."""

    name = "render-lilypond"
    wire_names = ("i2s.render.v1.RenderService",)

    def __init__(self, settings: LilypondSettings) -> None:
        self._settings = settings

    @asynccontextmanager
    async def open(self, chassis: Chassis) -> AsyncIterator[Register]:
        """Come up, pass the canary, give out the servicer; see `i2s_chassis.server.service.Service`.

        Raises:
            StartError: Something is missing on this machine.
        """
        settings = self._settings
        async with AsyncExitStack() as stack:
            installation = await asyncio.to_thread(find_installation, settings.lilypond)
            jail = await stack.enter_async_context(open_jail(settings, chassis))
            slots, telemetry = chassis.admission.slots, chassis.telemetry
            opening = open_engine(jail, installation, settings, slots=slots, telemetry=telemetry)
            engine = await stack.enter_async_context(opening)
            with canary_required(telemetry):
                await canary(engine, canary_limits(settings.limit_table()))
            yield LilypondServicer(engine, settings, chassis).registration()
