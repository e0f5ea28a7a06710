"""The service: opens jail, index and engine, passes the canary, provides its servicer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from i2s_chassis.errors import StartError
from i2s_chassis.limits import Limits
from i2s_chassis.renderer import open_jail
from i2s_chassis.renderer.start_checks import canary_limits, canary_required, check_canary
from i2s_chassis.server.service import Chassis, Register
from i2s_render_latex.engine import LatexRenderer
from i2s_render_latex.installation import find_installation
from i2s_render_latex.model import LatexJob, Options
from i2s_render_latex.preparation import prepare_fonts, unpack_formats
from i2s_render_latex.servicer import LatexServicer
from i2s_render_latex.settings import LatexSettings
from i2s_render_latex.state import index_for_service, prepare_folder, state_folder

_BODY = b"\n\\begin{document}\n$e^{i\\pi} + 1 = 0$\n\\end{document}\n"


async def canary(engine: LatexRenderer, limits: Limits) -> None:
    """Render a small document, cold and with each format of a known preamble.

    Args:
        engine: The engine.
        limits: Limits of each rendering.

    Raises:
        EngineError: It did not become an image; says why.
    """
    jobs = [LatexJob(b"\\documentclass{article}" + _BODY, options=Options(cold=True), limits=limits)]
    known = [one for one in engine.formats if one.is_kept and not one.has_begun]
    jobs += [LatexJob(one.preamble + _BODY, limits=limits) for one in known]
    for job in jobs:
        check_canary(await engine.render(job))


class LatexService:
    """LaTeX behind the wire."""

    name = "render-latex"
    wire_names = ("i2s.render.v1.RenderService",)

    def __init__(self, settings: LatexSettings) -> None:
        self._settings = settings

    @asynccontextmanager
    async def open(self, chassis: Chassis) -> AsyncIterator[Register]:
        """Come up, pass the canary, give out the servicer; see `i2s_chassis.server.service.Service`.

        Raises:
            StartError: Something is missing on this machine.
        """
        settings = self._settings
        folder = state_folder(settings.state_dir)
        prepare_folder(folder)
        known = known_preambles(settings.preamble)
        async with AsyncExitStack() as stack:
            installation = await asyncio.to_thread(find_installation)
            jail = await stack.enter_async_context(open_jail(settings, chassis))
            index = await index_for_service(folder, settings.shared_index)
            stack.callback(index.close)
            engine = LatexRenderer(
                settings,
                jail,
                installation,
                index,
                lambda: chassis.admission.is_idle,
                await prepare_fonts(folder, installation),
                await unpack_formats(folder, installation),
            )
            await stack.enter_async_context(engine.open(known))
            with canary_required(chassis.telemetry):
                await canary(engine, canary_limits(settings.limit_table()))
            chassis.telemetry.warm("format", len(engine.formats))
            yield LatexServicer(engine, settings, chassis).registration()


def known_preambles(files: tuple[Path, ...]) -> dict[str, bytes]:
    """Read the preambles that are to have a format from the start, by name of their file.

    Raises:
        StartError: A file cannot be read, or two have the same name.
    """
    known: dict[str, bytes] = {}
    for file in files:
        if file.stem in known:
            raise StartError(f"--preamble {file}: another one is called {file.stem} too; rename one")
        try:
            known[file.stem] = file.read_bytes()
        except OSError as error:
            raise StartError(f"--preamble {file} cannot be read: {error.strerror}") from None
    return known
