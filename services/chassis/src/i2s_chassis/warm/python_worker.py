"""Engines that are Python modules: each job in a child of a warm interpreter, or in one of its own.

The module runs in a cell and has the functions of ``inside.zygote.Worker``. Interpreters start without site
packages, so it finds only what its settings name.
"""

from __future__ import annotations

import contextlib
import functools
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TypeVar

from i2s_chassis.errors import WarmError
from i2s_chassis.jail import Cell, Isolation, Jail, landlock
from i2s_chassis.jail.plan import DEVICES, SYSTEM_READABLE
from i2s_chassis.limits import Limits
from i2s_chassis.server.telemetry import Telemetry
from i2s_chassis.warm.forked_job import ColdJob, ForkedJob, JobFolder, Ran, call_filter, prove
from i2s_chassis.warm.pool import WarmPool, open_pool
from i2s_chassis.warm.program import (
    FOLDER,
    FROM_SERVICE,
    TO_SERVICE,
    ForkingRendererSettings,
    Program,
    Warm,
    WarmSettings,
    open_warm,
)

R = TypeVar("R")

#: The folder of the program that runs in cells; other users must be able to read it.
INSIDE = Path(__file__).resolve().parent / "inside"
#: The interpreter, without the environment of the service.
PYTHON = Path(sys.executable).resolve()
#: Environment of every interpreter, beside that of the jail. No other program is to be found.
ENVIRONMENT: Mapping[str, str] = {"PATH": "", "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}

_SETTINGS, _FILTER = "zygote.json", "zygote.filter"
#: What the name of a result has beyond that of the folder of its job.
_RESULT = ".result"


def outside_usr(*paths: Path) -> tuple[Path, ...]:
    """Return the paths that jobs must be given to read: those outside of /usr."""
    return tuple(path for path in paths if not path.is_relative_to("/usr"))


@dataclass(frozen=True, slots=True)
class PythonWorker:
    """The module of an engine and all that it needs."""

    #: Its full name; the package around it consists of the modules in ``folder`` alone.
    module: str
    #: The folder that it lies in.
    folder: Path
    #: Name of a file that every job has, in its folder.
    job_file: str
    #: Name of the file there that gets standard output and standard error.
    log: str
    #: Folders that it reads beside its own, the interpreter's and those of the system.
    readable: tuple[Path, ...] = ()
    #: What ``load`` and ``warm_up`` are given.
    settings: Mapping[str, object] = field(default_factory=dict)
    #: Variables of its interpreter.
    environment: Mapping[str, str] = field(default_factory=lambda: ENVIRONMENT)

    @property
    def all_readable(self) -> tuple[Path, ...]:
        """What jobs must read outside of /usr."""
        own = outside_usr(Path(sys.base_prefix).resolve(), INSIDE, self.folder)
        return tuple(dict.fromkeys((*self.readable, *own)))

    def command(self, *arguments: str) -> tuple[str, ...]:
        """Return the command line: without site packages, without the folder of the script."""
        return (str(PYTHON), "-S", "-P", "-s", str(INSIDE / "zygote.py"), _SETTINGS, *arguments)

    def files(self, isolation: Isolation) -> dict[str, bytes]:
        """Return what an interpreter reads when it starts, by name."""
        abi = isolation.landlock_abi
        settings = {
            "from": FROM_SERVICE,
            "to": TO_SERVICE,
            "worker": self.module,
            "worker_folder": str(self.folder),
            "log": self.log,
            **self.settings,
            **(self._rules(abi) if abi else {"landlock": None}),
        }
        return {
            _SETTINGS: json.dumps(settings).encode(),
            _FILTER: call_filter(isolation) if abi else b"",
        }

    def _rules(self, abi: int) -> dict[str, object]:
        """Return the rules of Landlock for a job: it starts no program."""
        handled = landlock.handled(abi)
        readable = (*SYSTEM_READABLE, *map(str, self.all_readable))
        rules = landlock.rules(abi, readable, (), DEVICES, programs=False)
        return {
            "landlock": {"files": handled.files, "network": handled.network, "scoped": handled.scoped},
            "rules": [
                (path, access if Path(path).is_dir() else access & landlock.FILE_ONLY)
                for path, access in rules
                if Path(path).exists()
            ],
            "own": landlock.writable_access(abi, programs=False),
        }


@contextlib.asynccontextmanager
async def _open_zygote(jail: Jail, worker: PythonWorker, settings: WarmSettings) -> AsyncIterator[Warm]:
    """Start a warm interpreter and prove the isolation of its children; it ends with the context.

    Raises:
        WarmError: There can be none here, or it did not get ready; says why.
        JailError: A fault of the jail.
    """
    call_filter(jail.isolation)  # says why there can be none
    program = Program(
        argv=worker.command(),
        files=worker.files(jail.isolation),
        readable=worker.all_readable,
        environment=worker.environment,
    )
    async with open_warm(jail, program, settings) as zygote:
        await prove(zygote, worker.job_file)
        yield zygote


class WorkerFolder(JobFolder, Protocol):
    """The folder of one job; its result lies beside it."""

    async def run(self) -> Ran:
        """Do the job."""

    async def result(self) -> bytes:
        """Return what the process of the job delivered; raises OutputError."""


class WarmFolder(ForkedJob):
    """A folder in the cell of a warm interpreter."""

    async def run(self) -> Ran:  # noqa: D102 - see WorkerFolder
        return await self.step("run")

    async def result(self) -> bytes:  # noqa: D102
        return await self._warm.cell.fetch(f"{self._folder}{_RESULT}", self._limits.file_bytes)


class ColdFolder(ColdJob):
    """A folder in a cell of its own."""

    def __init__(self, cell: Cell, worker: PythonWorker) -> None:
        super().__init__(cell, FOLDER)
        self._worker = worker

    async def run(self) -> Ran:  # noqa: D102
        ended = await self._cell.run(self._worker.command(FOLDER), env=self._worker.environment)
        return Ran(ended.cause, ended.usage, ended.events, ended.exit_code)

    async def result(self) -> bytes:  # noqa: D102
        return await self._cell.fetch(f"{FOLDER}{_RESULT}")


class WorkerJobs:
    """Runs the jobs of a worker.

    Attributes:
        worker: The worker.
        zygotes: Interpreters that stand ready; None if every one is started anew.
    """

    def __init__(self, jail: Jail, worker: PythonWorker, zygotes: WarmPool | None = None) -> None:
        self._jail, self.worker, self.zygotes = jail, worker, zygotes

    @property
    def isolation(self) -> Isolation:
        """The isolation that jobs run in."""
        return self._jail.isolation

    async def run(
        self,
        content: Mapping[str, bytes],
        limits: Limits,
        work: Callable[[WorkerFolder], Awaitable[R]],
        *,
        cold: bool = False,
    ) -> R:
        """Give a job a folder, warm if an interpreter stands ready, and let ``work`` use it.

        Args:
            content: The files of the job, by their names in its folder.
            limits: Limits of the job.
            work: Runs the job and reads its result; called again if the warm interpreter was lost.
            cold: Run in a fresh interpreter, whatever stands ready.

        Raises:
            JailError: A fault of the jail.
        """
        zygotes = self.zygotes
        if zygotes is not None and not cold and zygotes.settings.fit(limits):
            with contextlib.suppress(WarmError):  # lost: the job gets an interpreter of its own
                async with zygotes.lease() as (zygote, name):
                    folder = WarmFolder(zygote, name, limits)
                    await folder.stand(content)
                    return await work(folder)
        files = {
            **self.worker.files(self.isolation),
            **{f"{FOLDER}/{name}": file for name, file in content.items()},
        }
        async with self._jail.cell(limits, files, readable=self.worker.all_readable) as cell:
            return await work(ColdFolder(cell, self.worker))


@contextlib.asynccontextmanager
async def open_jobs(
    jail: Jail,
    worker: PythonWorker,
    settings: ForkingRendererSettings,
    *,
    slots: int = 1,
    telemetry: Telemetry | None = None,
) -> AsyncIterator[WorkerJobs]:
    """Give what runs the jobs of a worker; its processes end with the context.

    Args:
        jail: The jail that jobs run in.
        worker: The worker.
        settings: What an operator decided.
        slots: Jobs at the same time.
        telemetry: The metrics that count warm interpreters.

    Raises:
        StartError: There can be no warm interpreter here, and there must be.
        JailError: A fault of the jail.
    """
    start = functools.partial(_open_zygote, jail, worker)
    async with open_pool(
        "zygote", start, settings, required=True, slots=slots, telemetry=telemetry
    ) as zygotes:
        yield WorkerJobs(jail, worker, zygotes)
