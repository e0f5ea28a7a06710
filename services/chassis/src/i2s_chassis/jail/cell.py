"""A cell, as the service sees it: the other end of a keeper's socket."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Mapping, Sequence

from i2s_chassis.jail import framing
from i2s_chassis.jail.errors import CellError, CellLostError, OutputError, OutputReason
from i2s_chassis.jail.framing import Head
from i2s_chassis.jail.model import Cause, Ended, Excerpt, PolicyEvent, PolicyKind, Usage
from i2s_chassis.jail.plan import CellPlan

_BACKSTOP_SECONDS = 30.0
_CLOSE_SECONDS = 10.0


class Cell:
    """A fresh work folder behind walls, in which programs run one after the other.

    Attributes:
        workdir: Path of the work folder as programs see it; also their current folder, HOME
            and TMPDIR.
    """

    def __init__(self, plan: CellPlan, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.workdir = plan.workdir
        self._limits = plan.limits
        self._reader = reader
        self._writer = writer
        self._busy = asyncio.Lock()

    async def stand(self) -> None:
        """Wait until the keeper has made the cell.

        Raises:
            CellError: It could not.
        """
        await self._receive(_BACKSTOP_SECONDS)

    async def run(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        cpu_seconds: float | None = None,
        wall_seconds: float | None = None,
        probe: str | None = None,
    ) -> Ended:
        """Run a program to its end; nothing of it is left afterwards.

        Args:
            argv: Command line; a name without "/" is looked for in /usr/local/bin, /usr/bin, /bin.
            env: Added to PATH, HOME, TMPDIR and LANG.
            cpu_seconds: At most this of what is left of the cell's budget.
            wall_seconds: Likewise.
            probe: Instead of a program, one of i2s_chassis.jail.probes by name, with ``argv``
                as its arguments.

        Returns:
            How it ended; a limit is an end like others.

        Raises:
            CellError: The program could not be started.
            CellLostError: The cell is gone.
        """
        request = {
            "op": "run",
            "argv": list(argv),
            "env": dict(env or {}),
            "cpu_seconds": cpu_seconds or 0,
            "wall_seconds": wall_seconds or 0,
            "probe": probe,
        }
        head, body = await self._ask(request, patience=self._limits.wall_seconds + _BACKSTOP_SECONDS)
        return _ended(head, body)

    async def write(self, name: str, content: bytes) -> None:
        """Write a file into the work folder, replacing what has that name.

        Raises:
            CellError: The folder is full, or the name leads out of it.
        """
        await self._ask({"op": "write", "name": name}, content)

    async def fetch(self, name: str, max_bytes: int | None = None) -> bytes:
        """Return a file of the work folder.

        Args:
            name: Relative path.
            max_bytes: Bound on its size; the file limit of the cell by default.

        Raises:
            OutputError: It is missing, larger, or no regular file of the job's own.
        """
        bound = self._limits.file_bytes if max_bytes is None else max_bytes
        _, body = await self._ask({"op": "read", "name": name, "max_bytes": bound})
        return body

    async def excerpt(self, name: str, head: int, tail: int) -> Excerpt:
        """Return the first and the last bytes of a file of the work folder.

        Raises:
            OutputError: It is missing or no regular file of the job's own.
        """
        answer, body = await self._ask({"op": "excerpt", "name": name, "head": head, "tail": tail})
        return Excerpt(body[: answer["head"]], body[answer["head"] :], answer["total"])

    async def list(self) -> dict[str, int]:
        """Return the regular files of the work folder by relative path, with their sizes."""
        answer, _ = await self._ask({"op": "list"})
        files: dict[str, int] = answer["files"]
        return files

    async def close(self) -> None:
        """Kill what runs, remove the cell, and wait until that is done.

        Raises:
            CellError: The keeper did not come to its end.
        """
        with contextlib.suppress(OSError):
            if self._writer.can_write_eof():
                self._writer.write_eof()
        try:
            # The keeper ends its side only after everything is gone.
            while await asyncio.wait_for(self._reader.read(65536), _CLOSE_SECONDS):
                pass
        except TimeoutError:
            raise CellError("the keeper of a cell does not end") from None
        except OSError:
            pass
        finally:
            self._writer.close()

    async def _ask(
        self, request: Head, body: bytes = b"", *, patience: float = _BACKSTOP_SECONDS
    ) -> tuple[Head, bytes]:
        async with self._busy:
            try:
                self._writer.write(framing.encode(request, len(body)))
                self._writer.write(body)
                await self._writer.drain()
                return await self._receive(patience)
            except asyncio.CancelledError:
                # The answer would be taken for that of the next question.
                self._writer.write_eof()
                raise
            except (OSError, asyncio.IncompleteReadError) as error:
                raise CellLostError(f"the keeper of a cell was lost: {error}") from error

    async def _receive(self, patience: float) -> tuple[Head, bytes]:
        async with asyncio.timeout(patience):
            try:
                message = await self._read_frame()
            except asyncio.IncompleteReadError as error:
                raise CellLostError("the keeper of a cell was lost") from error
        head, body = message
        if head.get("error") == "output":
            raise OutputError(head["name"], OutputReason(head["reason"]))
        if "error" in head:
            raise CellError(head["message"])
        return head, body

    async def _read_frame(self) -> tuple[Head, bytes]:
        head_size, body_size = framing.decode_lengths(await self._reader.readexactly(framing.LENGTHS_SIZE))
        head: Head = json.loads(await self._reader.readexactly(head_size))
        return head, await self._reader.readexactly(body_size)


def _ended(head: Head, body: bytes) -> Ended:
    return Ended(
        cause=Cause(head["cause"]),
        exit_code=head["exit_code"],
        signal=head["signal"],
        usage=Usage(**head["usage"]),
        output=Excerpt(body[: head["head"]], body[head["head"] :], head["total"]),
        events=tuple(PolicyEvent(PolicyKind(kind), detail, count) for kind, detail, count in head["events"]),
    )
