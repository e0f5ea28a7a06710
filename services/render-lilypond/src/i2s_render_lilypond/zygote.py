"""A LilyPond that forks for each job: how it is started and proven, and the place of a job in it."""

from __future__ import annotations

import contextlib
import platform
from collections.abc import AsyncIterator

from i2s_chassis.errors import WarmError
from i2s_chassis.jail import Excerpt, Jail, landlock
from i2s_chassis.jail.plan import DEVICES, SYSTEM_READABLE
from i2s_chassis.limits import Limits
from i2s_chassis.warm.forked_job import ForkedJob, Ran, call_filter, landlock_abi, prove
from i2s_chassis.warm.program import FROM_SERVICE, TO_SERVICE, Program, Warm, WarmSettings, open_warm
from i2s_render_lilypond import raster
from i2s_render_lilypond.installation import (
    DRAWING_TUNABLES,
    ENVIRONMENT,
    INSIDE,
    NO_FOOTERS,
    ZYGOTE,
    Installation,
)
from i2s_render_lilypond.score import SCORE
from i2s_wire.render.options import LilypondBackend

_SETTINGS, _FILTER = "zygote.settings", "zygote.filter"
#: Numbers of the calls that no other interface of Guile makes; see the kernel's unistd headers.
_CALLS = {
    "x86_64": {"prctl": 157, "fcntl": 72, "wait4": 61, "prlimit": 302, "ptrace": 101},
    "aarch64": {"prctl": 167, "fcntl": 25, "wait4": 260, "prlimit": 261, "ptrace": 117},
}


@contextlib.asynccontextmanager
async def open_zygote(jail: Jail, installation: Installation, settings: WarmSettings) -> AsyncIterator[Warm]:
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
        environment=ENVIRONMENT,
    )
    async with open_warm(jail, program, settings) as zygote:
        await prove(zygote, SCORE)
        yield zygote


def _settings(installation: Installation, abi: int) -> bytes:
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


class ZygoteJobFolder:
    """The folder of one job in the cell of a zygote."""

    kind = "zygote"

    def __init__(
        self, zygote: Warm, folder: str, installation: Installation, limits: Limits, *, no_footers: bool
    ) -> None:
        self._job = ForkedJob(zygote, folder, limits)
        self._installation, self._limits = installation, limits
        self._include = str(NO_FOOTERS) if no_footers else "-"

    async def stand(self, score: bytes) -> None:
        """Write the score and begin the job's budget."""
        await self._job.stand({SCORE: score})

    async def typeset(self, plan: str | None) -> Ran:  # noqa: D102 - see JobFolder
        job = self._job
        return await job.run("compile", job.folder, job.seconds, self._include, plan or "-")

    async def draw(self, asked: raster.Drawing) -> Ran:  # noqa: D102
        job, installation = self._job, self._installation
        device = raster.chosen_device(installation.devices, asked, self._limits)
        await job.write(raster.PROGRAM, raster.program(asked, device))
        command = raster.command(str(installation.ghostscript))
        return await job.run("run", job.folder, job.seconds, *command)

    async def fetch(self, name: str, max_bytes: int | None = None) -> bytes:  # noqa: D102
        return await self._job.fetch(name, max_bytes)

    async def excerpt(self, name: str, head: int, tail: int) -> Excerpt:  # noqa: D102
        return await self._job.excerpt(name, head, tail)
