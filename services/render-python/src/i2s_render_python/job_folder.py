"""Where one program runs: in a child of a warm interpreter, or in an interpreter of its own."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Protocol

from i2s_chassis.jail import Cell, Isolation, Jail, landlock
from i2s_chassis.jail.plan import DEVICES, SYSTEM_READABLE
from i2s_chassis.warm.forked_job import ColdJob, ForkedJob, JobFolder, Ran, call_filter, prove
from i2s_chassis.warm.program import FROM_SERVICE, TO_SERVICE, Program, Warm, WarmSettings, open_warm
from i2s_render_python.files import PROGRAM
from i2s_render_python.installation import ENVIRONMENT, ZYGOTE, PythonInstallation

_SETTINGS, _FILTER = "zygote.json", "zygote.filter"
#: The folder of a program in a cell of its own.
FOLDER = "job"
#: What the name of a result has beyond that of the folder of its program.
RESULT = ".result"


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


class ProgramFolder(JobFolder, Protocol):
    """A folder that holds one program with its files; its result lies beside it."""

    async def run(self) -> Ran:
        """Run the program to its end."""

    async def result(self) -> bytes:
        """Return what the process of the program delivered; raises OutputError."""


class WarmProgramFolder(ForkedJob):
    """A folder in the cell of a warm interpreter."""

    async def run(self) -> Ran:  # noqa: D102 - see ProgramFolder
        return await self.step("run")

    async def result(self) -> bytes:  # noqa: D102
        return await self._warm.cell.fetch(f"{self._folder}{RESULT}", self._limits.file_bytes)


class ColdProgramFolder(ColdJob):
    """A folder in a cell of its own."""

    def __init__(self, cell: Cell, installation: PythonInstallation) -> None:
        super().__init__(cell, FOLDER)
        self._installation = installation

    async def run(self) -> Ran:  # noqa: D102
        ended = await self._cell.run(interpreter_command(self._installation, FOLDER), env=ENVIRONMENT)
        return Ran(ended.cause, ended.usage, ended.events, ended.exit_code)

    async def result(self) -> bytes:  # noqa: D102
        return await self._cell.fetch(f"{FOLDER}{RESULT}")
