"""The metric service: what is opened before the first call, and in which order it closes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from i2s_chassis.service import Chassis, Register
from i2s_metrics.canary import check
from i2s_metrics.engine import Engine
from i2s_metrics.servicer import MetricsServicer, add_MetricsServiceServicer_to_server
from i2s_metrics.settings import MetricsSettings
from i2s_metrics.worker import WorkerSettings


class MetricsService:
    """Worker processes behind the wire of i2s.metrics.v1."""

    name = MetricsSettings.service
    wire_names = ("i2s.metrics.v1.MetricsService",)

    def __init__(self, settings: MetricsSettings) -> None:
        self._settings = settings

    @asynccontextmanager
    async def open(self, chassis: Chassis) -> AsyncIterator[Register]:
        """Start the workers and have one prove itself; close them at the end.

        Raises:
            StartError: A comparison with a known result came out otherwise.
        """
        settings = self._settings
        engine = Engine.open(
            WorkerSettings(settings.max_image_pixels, settings.reference_memory),
            workers=settings.slots,
            jobs_per_worker=settings.jobs_per_worker,
            wall_seconds=settings.limit.wall_seconds,
            telemetry=chassis.telemetry,
        )
        async with engine as running:
            await check(running)
            servicer = MetricsServicer(settings, running, chassis)
            yield lambda server: add_MetricsServiceServicer_to_server(servicer, server)
