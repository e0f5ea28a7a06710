"""The service: brings up jail and engine, passes the canary, hands out its servicer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from i2s_chassis.errors import StartError, WarmError
from i2s_chassis.renderer import open_jail
from i2s_chassis.renderer.start_checks import canary_limits, canary_required
from i2s_chassis.server.service import Chassis, Register
from i2s_render_lilypond.assemble import open_engine
from i2s_render_lilypond.canary import canary
from i2s_render_lilypond.engine import EngineSettings
from i2s_render_lilypond.installation import find_installation
from i2s_render_lilypond.servicer import LilypondServicer
from i2s_render_lilypond.settings import LilypondSettings


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
            opening = open_engine(
                jail,
                installation,
                EngineSettings(settings.score_bytes),
                None if settings.warm == "single-use" else settings.warm_settings(),
                must_be_warm=settings.warm == "zygote",
                slots=chassis.admission.slots,
                telemetry=chassis.telemetry,
            )
            try:
                engine = await stack.enter_async_context(opening)
            except WarmError as error:
                raise StartError(f"no zygote can be had here: {error}; use --warm single-use") from None
            with canary_required(chassis.telemetry):
                await canary(engine, canary_limits(settings.limit_table()))
            yield LilypondServicer(engine, settings, chassis).registration()
