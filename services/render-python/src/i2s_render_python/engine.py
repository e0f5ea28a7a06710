"""The engine: a jail, and interpreters that stand ready in it."""

from __future__ import annotations

import contextlib
import functools
import secrets
from collections.abc import AsyncIterator, Mapping

from i2s_chassis.errors import WarmError
from i2s_chassis.jail import Isolation, Jail
from i2s_chassis.server.telemetry import Telemetry
from i2s_chassis.warm.pool import WarmPool, open_pool
from i2s_render_python.files import complaint, disk_complaint, work_folder
from i2s_render_python.installation import PythonInstallation
from i2s_render_python.job_folder import (
    FOLDER,
    ColdProgramFolder,
    ProgramFolder,
    WarmProgramFolder,
    interpreter_files,
    open_zygote,
)
from i2s_render_python.model import DrawnProgram, PythonJob
from i2s_render_python.run import run_program
from i2s_render_python.settings import PythonSettings
from i2s_wire.render.rendering import Verdict


class PythonEngine:
    """Runs programs.

    Attributes:
        installation: What images are made with.
        zygotes: Interpreters that stand ready; None if every one is started anew.
    """

    def __init__(
        self,
        settings: PythonSettings,
        jail: Jail,
        installation: PythonInstallation,
        zygotes: WarmPool | None = None,
    ) -> None:
        self._settings, self._jail, self._clock = settings, jail, settings.clock.timestamp()
        self.installation, self.zygotes = installation, zygotes

    @property
    def isolation(self) -> Isolation:
        """The isolation that jobs run in."""
        return self._jail.isolation

    async def render(self, job: PythonJob) -> DrawnProgram:
        """Run a program.

        Raises:
            RendererError: The fault of an engine.
            JailError: A fault of the jail.
        """
        settings = self._settings
        wrong = complaint(
            job.program,
            job.files,
            max_bytes=settings.program_bytes,
            max_file_bytes=settings.beside_bytes,
            max_files=settings.beside_files,
        )
        if wrong is not None:
            return DrawnProgram(Verdict.INVALID_INPUT, wrong)
        full = disk_complaint(job, job.limits)
        if full is not None:
            return DrawnProgram(Verdict.OUTPUT_LIMIT, full)
        zygotes, libraries = self.zygotes, self.installation.libraries.named
        token = secrets.token_hex()
        content = work_folder(job, self._clock, token)
        if zygotes is not None and not job.options.cold and zygotes.settings.fit(job.limits):
            with contextlib.suppress(WarmError):  # lost: the job gets an interpreter of its own
                async with self._warm(zygotes, job, content) as folder:
                    return await run_program(folder, job, token, settings.objects_bytes, libraries)
        async with self._cold(job, content) as folder:
            return await run_program(folder, job, token, settings.objects_bytes, libraries)

    @contextlib.asynccontextmanager
    async def _warm(
        self, zygotes: WarmPool, job: PythonJob, content: Mapping[str, bytes]
    ) -> AsyncIterator[ProgramFolder]:
        async with zygotes.lease() as (zygote, name):
            folder = WarmProgramFolder(zygote, name, job.limits)
            await folder.stand(content)
            yield folder

    @contextlib.asynccontextmanager
    async def _cold(self, job: PythonJob, content: Mapping[str, bytes]) -> AsyncIterator[ProgramFolder]:
        installation = self.installation
        files = {
            **interpreter_files(installation, self.isolation),
            **{f"{FOLDER}/{name}": file for name, file in content.items()},
        }
        async with self._jail.cell(job.limits, files, readable=installation.readable) as cell:
            yield ColdProgramFolder(cell, installation)


@contextlib.asynccontextmanager
async def open_engine(
    jail: Jail,
    installation: PythonInstallation,
    settings: PythonSettings,
    *,
    slots: int = 1,
    telemetry: Telemetry | None = None,
) -> AsyncIterator[PythonEngine]:
    """Give an engine; its processes end with the context.

    Args:
        jail: The jail that jobs run in.
        installation: What images are made with.
        settings: What an operator decided.
        slots: Jobs at the same time.
        telemetry: The metrics that count warm interpreters.

    Raises:
        StartError: There can be no warm interpreter here, and there must be.
        JailError: A fault of the jail.
    """
    start = functools.partial(open_zygote, jail, installation)
    async with open_pool(
        "zygote", start, settings, required=True, slots=slots, telemetry=telemetry
    ) as zygotes:
        yield PythonEngine(settings, jail, installation, zygotes)
