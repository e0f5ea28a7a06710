"""The engine: a jail, and interpreters that stand ready in it."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import AsyncIterator

from i2s_chassis.jail import Isolation, Jail
from i2s_chassis.server.telemetry import Telemetry
from i2s_chassis.warm.pool import WarmPool
from i2s_chassis.warm.python_worker import PythonWorker, WorkerFolder, WorkerJobs, open_jobs
from i2s_render_python.files import LOG, PROGRAM, complaint, disk_complaint, work_folder
from i2s_render_python.installation import ENVIRONMENT, INSIDE, PythonInstallation
from i2s_render_python.model import DrawnProgram, PythonJob
from i2s_render_python.run import run_program
from i2s_render_python.settings import PythonSettings
from i2s_wire.render.rendering import Verdict


def worker_of(installation: PythonInstallation) -> PythonWorker:
    """Return the interpreter of programs, with what they may import."""
    return PythonWorker(
        module="i2s_render_python.inside.worker",
        folder=INSIDE,
        job_file=PROGRAM,
        log=LOG,
        readable=installation.readable,
        settings={
            "libraries": {name: str(path) for name, path in installation.libraries.entries.items()},
            "fonts": [str(font) for font in installation.fonts],
            "modules": installation.modules,
        },
        environment=ENVIRONMENT,
    )


class PythonEngine:
    """Runs programs.

    Attributes:
        installation: What images are made with.
    """

    def __init__(self, settings: PythonSettings, jobs: WorkerJobs, installation: PythonInstallation) -> None:
        self._settings, self._jobs, self._clock = settings, jobs, settings.clock.timestamp()
        self.installation = installation

    @property
    def zygotes(self) -> WarmPool | None:
        """Interpreters that stand ready; None if every one is started anew."""
        return self._jobs.zygotes

    @property
    def isolation(self) -> Isolation:
        """The isolation that jobs run in."""
        return self._jobs.isolation

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
        token, libraries = secrets.token_hex(), self.installation.libraries.named

        async def work(folder: WorkerFolder) -> DrawnProgram:
            return await run_program(folder, job, token, settings.objects_bytes, libraries)

        content = work_folder(job, self._clock, token)
        return await self._jobs.run(content, job.limits, work, cold=job.options.cold)


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
    worker = worker_of(installation)
    async with open_jobs(jail, worker, settings, slots=slots, telemetry=telemetry) as jobs:
        yield PythonEngine(settings, jobs, installation)
