"""Where one program runs: in a child of a warm interpreter, or in an interpreter of its own."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Protocol

from i2s_chassis.jail import Cell, Excerpt, Isolation, Jail, landlock
from i2s_chassis.jail.plan import DEVICES, SYSTEM_READABLE
from i2s_chassis.limits import Limits
from i2s_chassis.warm.forked_job import ForkedJob, Ran, call_filter, prove
from i2s_chassis.warm.program import FROM_SERVICE, TO_SERVICE, Program, Warm, WarmSettings, open_warm
from i2s_render_python.files import PROGRAM
from i2s_render_python.installation import ENVIRONMENT, ZYGOTE, PythonInstallation

_SETTINGS, _FILTER = "zygote.json", "zygote.filter"
#: The folder of a program in a cell of its own.
FOLDER = "job"


def interpreter_command(installation: PythonInstallation, *arguments: str) -> tuple[str, ...]:
    """Return the command line of an interpreter: without site packages, without the folder of the script."""
    return (str(installation.python), "-S", "-P", "-s", str(ZYGOTE), _SETTINGS, *arguments)


def interpreter_files(installation: PythonInstallation, isolation: Isolation) -> dict[str, bytes]:
    """Return what an interpreter reads when it starts, by name."""
    abi = isolation.landlock_abi
    settings = {
        "from": FROM_SERVICE,
        "to": TO_SERVICE,
        "libraries": {name: str(path) for name, path in installation.libraries.entries.items()},
        "fonts": [str(font) for font in installation.fonts],
        "modules": installation.modules,
        **(_rules(installation, abi) if abi else {"landlock": None}),
    }
    return {
        _SETTINGS: json.dumps(settings).encode(),
        _FILTER: call_filter(isolation) if abi else b"",
    }


def _rules(installation: PythonInstallation, abi: int) -> dict[str, object]:
    """Return the rules of Landlock for a program: it starts no other program."""
    handled = landlock.handled(abi)
    readable = (*SYSTEM_READABLE, *map(str, installation.readable))
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
async def open_zygote(
    jail: Jail, installation: PythonInstallation, settings: WarmSettings
) -> AsyncIterator[Warm]:
    """Start a warm interpreter and prove the isolation of its children; it ends with the context.

    Raises:
        WarmError: There can be none here, or it did not get ready; says why.
        JailError: A fault of the jail.
    """
    call_filter(jail.isolation)  # says why there can be none
    program = Program(
        argv=interpreter_command(installation),
        files=interpreter_files(installation, jail.isolation),
        readable=installation.readable,
        environment=ENVIRONMENT,
    )
    async with open_warm(jail, program, settings) as zygote:
        await prove(zygote, PROGRAM)
        yield zygote


class ProgramFolder(Protocol):
    """A folder that holds one program with its files."""

    #: "cold" or "zygote".
    kind: str

    async def run(self) -> Ran:
        """Run the program to its end."""

    async def fetch(self, name: str, max_bytes: int | None = None) -> bytes:
        """Return a file; raises OutputError."""

    async def excerpt(self, name: str, head: int, tail: int) -> Excerpt:
        """Return the first and last bytes of a file; raises OutputError."""


class WarmProgramFolder:
    """A folder in the cell of a warm interpreter."""

    kind = "zygote"

    def __init__(self, zygote: Warm, folder: str, limits: Limits) -> None:
        self._job = ForkedJob(zygote, folder, limits)

    async def stand(self, files: Mapping[str, bytes]) -> None:
        """Write the program and its files, and begin the job's budget."""
        await self._job.stand(files)

    async def run(self) -> Ran:  # noqa: D102 - see JobFolder
        return await self._job.run("run", self._job.folder, self._job.seconds)

    async def fetch(self, name: str, max_bytes: int | None = None) -> bytes:  # noqa: D102
        return await self._job.fetch(name, max_bytes)

    async def excerpt(self, name: str, head: int, tail: int) -> Excerpt:  # noqa: D102
        return await self._job.excerpt(name, head, tail)


class ColdProgramFolder:
    """A folder in a cell of its own."""

    kind = "cold"

    def __init__(self, cell: Cell, installation: PythonInstallation) -> None:
        self._cell, self._installation = cell, installation

    async def run(self) -> Ran:  # noqa: D102
        ended = await self._cell.run(interpreter_command(self._installation, FOLDER), env=ENVIRONMENT)
        return Ran(ended.cause, ended.usage, ended.events, ended.exit_code)

    async def fetch(self, name: str, max_bytes: int | None = None) -> bytes:  # noqa: D102
        return await self._cell.fetch(f"{FOLDER}/{name}", max_bytes)

    async def excerpt(self, name: str, head: int, tail: int) -> Excerpt:  # noqa: D102
        return await self._cell.excerpt(f"{FOLDER}/{name}", head, tail)
