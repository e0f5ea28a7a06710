"""The service: opens the jail, passes the canary, hands out its servicer."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import ClassVar

from i2s_chassis.renderer import open_jail
from i2s_chassis.renderer.start_checks import canary_limits, canary_required
from i2s_chassis.server.service import Chassis, Register
from pillow_renderer.engine import PillowEngine
from pillow_renderer.servicer import PillowServicer
from pillow_renderer.settings import PillowSettings


class PillowService:
    """Programs behind the wire."""

    name = "render-pillow"
    wire_names = ("i2s.render.v1.RenderService",)
    servicer: ClassVar = PillowServicer

    def __init__(self, settings: PillowSettings) -> None:
        self._settings = settings

    @asynccontextmanager
    async def open(self, chassis: Chassis) -> AsyncIterator[Register]:
        """Come up and give out the servicer; see `i2s_chassis.server.service.Service`."""
        async with open_jail(self._settings, chassis) as jail:
            engine = PillowEngine(jail)
            with canary_required(chassis.telemetry):
                await engine.canary(canary_limits(self._settings.limit_table()))
            yield self.servicer(engine, self._settings, chassis).registration()
