"""The service: opens jail and engine, passes the canary, provides its servicer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from i2s_chassis.errors import EngineError, StartError, WarmError
from i2s_chassis.limits import Limits
from i2s_chassis.renderer import open_jail
from i2s_chassis.renderer.start_checks import canary_limits, canary_required
from i2s_chassis.server.service import Chassis, Register
from i2s_render_python.engine import EngineSettings, PythonEngine, open_engine
from i2s_render_python.installation import find_installation
from i2s_render_python.model import Job, Options
from i2s_render_python.servicer import PythonServicer
from i2s_render_python.settings import PythonSettings
from i2s_wire.render.rendering import Picture, Verdict

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
    cold = await _picture(engine, Options(cold=True), limits)
    if engine.zygotes is not None and (await _picture(engine, Options(), limits)).png != cold.png:
        raise EngineError("the canary looks different from a warm process")


async def _picture(engine: PythonEngine, options: Options, limits: Limits) -> Picture:
    drawn = await engine.render(Job(_PROGRAM, options=options, limits=limits))
    if drawn.verdict is not Verdict.RENDERED:
        raise EngineError(f"the canary was not rendered: {drawn.verdict.name}: {drawn.message}")
    return drawn.pictures[0]


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
        engine_settings = EngineSettings(
            max_program_bytes=settings.program_bytes,
            max_file_bytes=settings.beside_bytes,
            max_files=settings.beside_files,
            max_objects_bytes=settings.objects_bytes,
            clock=settings.clock.timestamp(),
        )
        async with AsyncExitStack() as stack:
            installation = await asyncio.to_thread(find_installation, settings.fonts)
            jail = await stack.enter_async_context(open_jail(settings, chassis))
            opening = open_engine(
                jail,
                installation,
                engine_settings,
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
            yield PythonServicer(engine, settings, chassis).registration()
