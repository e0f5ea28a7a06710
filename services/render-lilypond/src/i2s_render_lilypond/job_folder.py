"""Where the steps of one job run: a fresh cell, or a child of a LilyPond that forks for each job."""

from __future__ import annotations

import contextlib
import platform
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Protocol

from i2s_chassis.errors import WarmError
from i2s_chassis.jail import Cell, Ended, Jail, landlock
from i2s_chassis.jail.plan import DEVICES, SYSTEM_READABLE
from i2s_chassis.limits import Limits
from i2s_chassis.warm.forked_job import (
    ColdJob,
    ForkedJob,
    JobFolder,
    Ran,
    call_filter,
    landlock_abi,
    prove,
)
from i2s_chassis.warm.program import FROM_SERVICE, TO_SERVICE, Program, Warm, WarmSettings, open_warm
from i2s_render_lilypond import raster
from i2s_render_lilypond.installation import (
    DRAWING_TUNABLES,
    ENVIRONMENT,
    INSIDE,
    NO_FOOTERS,
    NOTES,
    PAGES,
    WITH_NOTES,
    WITH_NOTES_NO_FOOTERS,
    ZYGOTE,
    LilypondInstallation,
)
from i2s_render_lilypond.model import Options
from i2s_render_lilypond.raster import Drawing
from i2s_render_lilypond.score import LOG, SCORE
from i2s_wire.render.options import LilypondBackend


class ScoreFolder(JobFolder, Protocol):
    """A work folder that holds one score, and the engines that may work on it."""

    async def typeset(self, plan: str | None) -> Ran:
        """Have LilyPond make pages of the score.

        Args:
            plan: What cairo is to draw, see ``raster.cairo_plan``; None leaves the pages PostScript.
        """

    async def draw(self, asked: Drawing) -> Ran:
        """Have Ghostscript draw pages of the score."""


def included(options: Options) -> Path | None:
    """Return the file that is included before a score, None if there is none."""
    if options.want_notes:
        return WITH_NOTES_NO_FOOTERS if options.no_footers else WITH_NOTES
    return NO_FOOTERS if options.no_footers else None


# The log is a file, so that a flood of it ends at the limits of files.
_TO_LOG = 'exec "$0" "$@" >' + LOG + " 2>&1"


class ColdScoreFolder(ColdJob):
    """A fresh cell that holds the score."""

    def __init__(
        self, cell: Cell, installation: LilypondInstallation, limits: Limits, include: Path | None
    ) -> None:
        super().__init__(cell)
        self._installation, self._limits, self._include = installation, limits, include

    async def typeset(self, plan: str | None) -> Ran:  # noqa: D102 - see ScoreFolder
        command = [str(self._installation.lilypond), "--png", "-dno-point-and-click"]
        command += ["-e", f'(primitive-load "{PAGES}")', "-e", f'(primitive-load "{NOTES}")']
        if plan is not None:
            command += ["-e", f'(draw-with-cairo "{plan}")']
        if self._include is not None:
            command.append(f"-dinclude-settings={self._include}")
        environment = self._installation.environment
        return _ran(await self._cell.run(["sh", "-c", _TO_LOG, *command, SCORE], env=environment))

    async def draw(self, asked: raster.Drawing) -> Ran:  # noqa: D102
        ghostscript = str(self._installation.ghostscript)
        device = raster.chosen_device(self._installation.devices, asked, self._limits)
        environment = {**ENVIRONMENT, "GLIBC_TUNABLES": DRAWING_TUNABLES}
        await self._cell.write(raster.PROGRAM, raster.program(asked, device))
        return _ran(await self._cell.run(raster.command(ghostscript), env=environment))


def _ran(ended: Ended) -> Ran:
    return Ran(ended.cause, ended.usage, ended.events)


_SETTINGS, _FILTER = "zygote.settings", "zygote.filter"
#: Numbers of the calls that no other interface of Guile makes; see the kernel's unistd headers.
_CALLS = {
    "x86_64": {"prctl": 157, "fcntl": 72, "wait4": 61, "prlimit": 302, "ptrace": 101},
    "aarch64": {"prctl": 167, "fcntl": 25, "wait4": 260, "prlimit": 261, "ptrace": 117},
}


@contextlib.asynccontextmanager
async def open_zygote(
    jail: Jail, installation: LilypondInstallation, settings: WarmSettings
) -> AsyncIterator[Warm]:
    """Start a zygote, warm it up and prove its isolation; it ends with the context.

    Raises:
        WarmError: There can be none here, or it did not get ready; says why.
        JailError: A fault of the jail.
    """
    abi = landlock_abi(jail.isolation)
    program = Program(
        argv=(
            *(str(installation.lilypond), "--png", "-dno-point-and-click"),
            *("-e", f'(primitive-load "{ZYGOTE}")', "-"),
        ),
        files={_SETTINGS: _settings(installation, abi), _FILTER: call_filter(jail.isolation)},
        readable=installation.readable,
        environment=installation.environment,
    )
    async with open_warm(jail, program, settings) as zygote:
        await prove(zygote, SCORE)
        yield zygote


def _settings(installation: LilypondInstallation, abi: int) -> bytes:
    """Return what the zygote reads when it starts: an association list."""
    handled = landlock.handled(abi)
    calls = _CALLS.get(platform.machine())
    if calls is None:
        raise WarmError(f"the numbers of system calls on {platform.machine()} are not known")
    readable = " ".join(f'"{path}"' for path in (*SYSTEM_READABLE, *installation.readable))
    devices = " ".join(f'"{path}"' for path in DEVICES)
    numbers = " ".join(f"({name} . {number})" for name, number in calls.items())
    cairo = "#t" if LilypondBackend.CAIRO in installation.backends else "#f"
    return (
        f'((from . {FROM_SERVICE}) (to . {TO_SERVICE}) (inside . "{INSIDE}") (cairo . {cairo}) {numbers}\n'
        f" (all-files . {handled.files}) (all-network . {handled.network}) (all-scopes . {handled.scoped})\n"
        f' (tunables . "{DRAWING_TUNABLES}") (readable . ({readable})) (devices . ({devices})))\n'
    ).encode()


class WarmScoreFolder(ForkedJob):
    """The folder of one job in the cell of a zygote."""

    def __init__(
        self,
        zygote: Warm,
        folder: str,
        installation: LilypondInstallation,
        limits: Limits,
        include: Path | None,
    ) -> None:
        super().__init__(zygote, folder, limits)
        self._installation = installation
        self._include = str(include or "-")

    async def typeset(self, plan: str | None) -> Ran:  # noqa: D102 - see ScoreFolder
        return await self.step("compile", self._include, plan or "-")

    async def draw(self, asked: raster.Drawing) -> Ran:  # noqa: D102
        device = raster.chosen_device(self._installation.devices, asked, self._limits)
        await self.write(raster.PROGRAM, raster.program(asked, device))
        return await self.step("run", *raster.command(str(self._installation.ghostscript)))
