"""Take over the pipe that Playwright made for a browser."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import socket
import struct
import sys
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Self

from i2s_render_html import launcher
from i2s_render_html.errors import BrowserError

_CREDENTIALS = struct.Struct("3i")  # pid, uid and gid, see unix(7)


class Handover:
    """A private socket at which one launcher delivers its descriptors.

    Attributes:
        program: Program that Playwright is to start.
        arguments: Arguments of the program.
        driver: Number of Playwright's process, which has started the launcher; None before it has.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """Make the socket.

        Args:
            folder: Where a folder for it is made; None for the system's temporary folder.
        """
        self._folder = Path(tempfile.mkdtemp(prefix="i2s-pipe-", dir=folder))  # closed to other users
        path = str(self._folder / "pipe")
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
        self._listener.bind(path)
        self._listener.listen(1)
        self._connection: socket.socket | None = None
        self.driver: int | None = None
        self.program = sys.executable
        self.arguments = ("-I", "-S", launcher.__file__, path)

    async def descriptors(self) -> tuple[int, int]:
        """Return what the browser reads from and what it writes to; the caller closes them.

        Raises:
            BrowserError: Something else was delivered.
        """
        loop = asyncio.get_running_loop()
        self._connection, _ = await loop.sock_accept(self._listener)
        received: asyncio.Future[tuple[int, ...]] = loop.create_future()
        connection = self._connection
        self.driver = _parent_of_peer(connection)

        def take() -> None:
            _, descriptors, _, _ = socket.recv_fds(connection, 1, 2)
            if not received.done():
                received.set_result(tuple(descriptors))

        loop.add_reader(connection, take)
        try:
            descriptors = await received
        finally:
            loop.remove_reader(connection)
        if len(descriptors) != 2:
            for descriptor in descriptors:
                os.close(descriptor)
            raise BrowserError("the launcher did not deliver the browser's pipe")
        return descriptors[0], descriptors[1]

    def end(self) -> None:
        """Let the launcher go: for Playwright the browser has ended."""
        self._listener.close()
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        with contextlib.suppress(OSError):
            shutil.rmtree(self._folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()


def _parent_of_peer(connection: socket.socket) -> int | None:
    """Return the process that started who is at the other end; None if that is not known."""
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    pid, _, _ = _CREDENTIALS.unpack(credentials)
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return None
    return next((int(line.split()[1]) for line in status.splitlines() if line.startswith("PPid:")), None)
