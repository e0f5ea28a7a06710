"""The engine: a jail, and interpreters that stand ready in it."""

from __future__ import annotations

import contextlib
import functools
import logging
from collections.abc import AsyncIterator
from dataclasses import dataclass

from i2s_chassis.errors import WarmError
from i2s_chassis.jail import Isolation, Jail
from i2s_chassis.server.telemetry import Telemetry
from i2s_chassis.warm.pool import WarmPool
from i2s_chassis.warm.program import WarmSettings
from i2s_render_python.files import complaint, disk_complaint, work_folder
from i2s_render_python.installation import PythonInstallation
from i2s_render_python.job_folder import (
    FOLDER,
    ColdFolder,
    JobFolder,
    WarmFolder,
    interpreter_files,
    open_zygote,
)
from i2s_render_python.model import DrawnProgram, Job
from i2s_render_python.run import run_program
from i2s_wire.render.rendering import Verdict

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """What an operator decides about the engine."""

    #: Greatest program.
    max_program_bytes: int = 1024 * 1024
    #: Greatest of the files beside it.
    max_file_bytes: int = 16 * 1024 * 1024
    #: Most files beside it.
    max_files: int = 256
    #: Greatest description of the objects of a figure.
    max_objects_bytes: int = 4 * 1024 * 1024
    #: The time of day of programs, in seconds since 1970.
    clock: float = 1704067200.0


class PythonEngine:
    """Runs programs.

    Attributes:
        installation: What images are made with.
        zygotes: Interpreters that stand ready; None if every one is started anew.
    """

    def __init__(
        self,
        settings: EngineSettings,
        jail: Jail,
        installation: PythonInstallation,
        zygotes: WarmPool | None = None,
    ) -> None:
        self._settings, self._jail = settings, jail
        self.installation, self.zygotes = installation, zygotes

    @property
    def isolation(self) -> Isolation:
        """The isolation that jobs run in."""
        return self._jail.isolation

    async def render(self, job: Job) -> DrawnProgram:
        """Run a program.

        Raises:
            RendererError: The fault of an engine.
            JailError: A fault of the jail.
        """
        settings = self._settings
        wrong = complaint(
            job.program,
            job.files,
            max_bytes=settings.max_program_bytes,
            max_file_bytes=settings.max_file_bytes,
            max_files=settings.max_files,
        )
        if wrong is not None:
            return DrawnProgram(Verdict.INVALID_INPUT, wrong)
        full = disk_complaint(job, job.limits)
        if full is not None:
            return DrawnProgram(Verdict.OUTPUT_LIMIT, full)
        zygotes, libraries = self.zygotes, self.installation.libraries.named
        if zygotes is not None and not job.options.cold and zygotes.settings.fit(job.limits):
            with contextlib.suppress(WarmError):  # lost: the job gets an interpreter of its own
                async with self._warm(zygotes, job) as folder:
                    return await run_program(folder, job, settings.max_objects_bytes, libraries)
        async with self._cold(job) as folder:
            return await run_program(folder, job, settings.max_objects_bytes, libraries)

    @contextlib.asynccontextmanager
    async def _warm(self, zygotes: WarmPool, job: Job) -> AsyncIterator[JobFolder]:
        async with zygotes.lease() as (zygote, name):
            folder = WarmFolder(zygote, name, job.limits)
            await folder.stand(work_folder(job, self._settings.clock))
            yield folder

    @contextlib.asynccontextmanager
    async def _cold(self, job: Job) -> AsyncIterator[JobFolder]:
        installation = self.installation
        content = {
            **interpreter_files(installation, self.isolation),
            **{f"{FOLDER}/{name}": one for name, one in work_folder(job, self._settings.clock).items()},
        }
        async with self._jail.cell(job.limits, content, readable=installation.readable) as cell:
            yield ColdFolder(cell, installation)


@contextlib.asynccontextmanager
async def open_engine(
    jail: Jail,
    installation: PythonInstallation,
    settings: EngineSettings,
    warm: WarmSettings | None,
    *,
    must_be_warm: bool = False,
    slots: int = 1,
    telemetry: Telemetry | None = None,
) -> AsyncIterator[PythonEngine]:
    """Give an engine; its processes end with the context.

    Args:
        jail: The jail that jobs run in.
        installation: What images are made with.
        settings: Settings of the engine.
        warm: Settings of warm interpreters; None starts every one anew.
        must_be_warm: Fail if there can be none, instead of doing without.
        slots: Jobs at the same time.
        telemetry: The metrics that count warm interpreters.

    Raises:
        WarmError: There can be no warm interpreter here, and there must be.
        JailError: A fault of the jail.
    """
    if warm is None:
        yield PythonEngine(settings, jail, installation)
        return
    opener = functools.partial(open_zygote, jail, installation, warm)
    pool = WarmPool("zygote", opener, warm, slots=slots, telemetry=telemetry)
    async with contextlib.AsyncExitStack() as stack:
        zygotes: WarmPool | None = None
        try:
            zygotes = await stack.enter_async_context(pool.open())
        except WarmError as error:
            if must_be_warm:
                raise
            if telemetry is not None:
                telemetry.self_test_failure("zygote")
            _log.warning("no warm process", extra={"fields": {"kind": "zygote", "reason": str(error)}})
        yield PythonEngine(settings, jail, installation, zygotes)
