"""A job in a cell of its own, every program started anew."""

from __future__ import annotations

from i2s_chassis.jail import Cell, Ended, Excerpt
from i2s_chassis.limits import Limits
from i2s_chassis.warm.forked_job import Ran
from i2s_render_lilypond import raster
from i2s_render_lilypond.installation import DRAWING_TUNABLES, ENVIRONMENT, NO_FOOTERS, PAGES, Installation
from i2s_render_lilypond.score import LOG, SCORE

# The log is a file, so that a flood of it ends at the limits of files.
_TO_LOG = 'exec "$0" "$@" >' + LOG + " 2>&1"


class ColdJobFolder:
    """A fresh cell that holds the score."""

    kind = "cold"

    def __init__(self, cell: Cell, installation: Installation, limits: Limits, *, no_footers: bool) -> None:
        self._cell, self._installation = cell, installation
        self._limits, self._no_footers = limits, no_footers

    async def typeset(self, plan: str | None) -> Ran:  # noqa: D102 - see JobFolder
        command = [str(self._installation.lilypond), "--png", "-dno-point-and-click"]
        command += ["-e", f'(primitive-load "{PAGES}")']
        if plan is not None:
            command += ["-e", f'(draw-with-cairo "{plan}")']
        if self._no_footers:
            command.append(f"-dinclude-settings={NO_FOOTERS}")
        return _ran(await self._cell.run(["sh", "-c", _TO_LOG, *command, SCORE], env=ENVIRONMENT))

    async def draw(self, asked: raster.Drawing) -> Ran:  # noqa: D102
        ghostscript = str(self._installation.ghostscript)
        device = raster.chosen_device(self._installation.devices, asked, self._limits)
        environment = {**ENVIRONMENT, "GLIBC_TUNABLES": DRAWING_TUNABLES}
        await self._cell.write(raster.PROGRAM, raster.program(asked, device))
        return _ran(await self._cell.run(raster.command(ghostscript), env=environment))

    async def fetch(self, name: str, max_bytes: int | None = None) -> bytes:  # noqa: D102
        return await self._cell.fetch(name, max_bytes)

    async def excerpt(self, name: str, head: int, tail: int) -> Excerpt:  # noqa: D102
        return await self._cell.excerpt(name, head, tail)


def _ran(ended: Ended) -> Ran:
    return Ran(ended.cause, ended.usage, ended.events)
