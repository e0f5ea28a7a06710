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
from i2s_render_python.engine import PythonEngine, open_engine
from i2s_render_python.installation import find_installation
from i2s_render_python.model import Options, PythonJob
from i2s_render_python.servicer import PythonServicer
from i2s_render_python.settings import PythonSettings

_PROGRAM = b"""\
import matplotlib.pyplot as plt
import numpy as np

x = np.linspace(0, 6, 50)
plt.plot(x, np.sin(x), label="$\\\\sin x$")
plt.scatter(np.random.rand(9) * 6, np.random.rand(9), c="teal")
plt.title("Canary")
plt.legend()
plt.show()
"""


async def canary(engine: PythonEngine, limits: Limits) -> None:
    """Run a small program cold, and warm if interpreters stand ready: the same bytes.

    Args:
        engine: The engine.
        limits: Limits of each rendering; a warm process serves the defaults of the service, except for times.

    Raises:
        EngineError: It did not become an image, or not the same one; says why.
    """
    job = PythonJob(_PROGRAM, options=Options(cold=True), limits=limits)
    cold = check_canary(await engine.render(job))
    if engine.zygotes is not None:
        check_same_canary(cold, await engine.render(replace(job, options=Options())))


class PythonService:
    """CPython behind the wire."""

    name = "render-python"
    wire_names = ("i2s.render.v1.RenderService",)

    def __init__(self, settings: PythonSettings) -> None:
        self._settings = settings

    @asynccontextmanager
    async def open(self, chassis: Chassis) -> AsyncIterator[Register]:
        """Come up, pass the canary, give out the servicer; see `i2s_chassis.server.service.Service`.

        Raises:
            StartError: Something is missing on this machine.
        """
        settings = self._settings
        async with AsyncExitStack() as stack:
            installation = await asyncio.to_thread(find_installation, settings.fonts)
            jail = await stack.enter_async_context(open_jail(settings, chassis))
            slots, telemetry = chassis.admission.slots, chassis.telemetry
            opening = open_engine(jail, installation, settings, slots=slots, telemetry=telemetry)
            engine = await stack.enter_async_context(opening)
            with canary_required(telemetry):
                await canary(engine, canary_limits(settings.limit_table()))
            yield PythonServicer(engine, settings, chassis).registration()
