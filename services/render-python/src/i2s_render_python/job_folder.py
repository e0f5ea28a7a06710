"""Where one program runs: in a child of a warm interpreter, or in an interpreter of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from i2s_chassis.jail import Cell, Excerpt
from i2s_chassis.limits import Limits
from i2s_chassis.warm.forked_job import ForkedJob, Ran
from i2s_chassis.warm.program import Warm
from i2s_render_python.installation import ENVIRONMENT, PythonInstallation
from i2s_render_python.interpreter import FOLDER, command


class JobFolder(Protocol):
    """A folder that holds one program with its files.

    Attributes:
        kind: "cold" or "zygote".
    """

    kind: str

    async def run(self) -> Ran:
        """Run the program to its end."""

    async def fetch(self, name: str, max_bytes: int | None = None) -> bytes:
        """Return a file; raises OutputError."""

    async def excerpt(self, name: str, head: int, tail: int) -> Excerpt:
        """Return the first and last bytes of a file; raises OutputError."""


class WarmFolder:
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


class ColdFolder:
    """A folder in a cell of its own."""

    kind = "cold"

    def __init__(self, cell: Cell, installation: PythonInstallation) -> None:
        self._cell, self._installation = cell, installation

    async def run(self) -> Ran:  # noqa: D102
        ended = await self._cell.run(command(self._installation, FOLDER), env=ENVIRONMENT)
        return Ran(ended.cause, ended.usage, ended.events, ended.exit_code)

    async def fetch(self, name: str, max_bytes: int | None = None) -> bytes:  # noqa: D102
        return await self._cell.fetch(f"{FOLDER}/{name}", max_bytes)

    async def excerpt(self, name: str, head: int, tail: int) -> Excerpt:  # noqa: D102
        return await self._cell.excerpt(f"{FOLDER}/{name}", head, tail)
