"""Our end of a supervisor's socket: questions with a number each, answered in any order."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import socket
from collections.abc import Iterator

from i2s_chassis.jail import framing
from i2s_chassis.jail.errors import CellLostError
from i2s_chassis.jail.framing import Head, Message

_LOST = "the supervisor of a cell was lost"


class Link:
    """A connection on which several questions may be open at the same time."""

    def __init__(self, sock: socket.socket) -> None:
        """Take over the socket; needs a running event loop."""
        sock.setblocking(False)
        self._sock = sock
        self._loop = asyncio.get_running_loop()
        self._numbers = itertools.count(1)
        # The supervisor speaks first, and unasked, to say that the cell stands: that is number 0.
        self._open: dict[int, asyncio.Future[Message]] = {0: self._loop.create_future()}
        self._sending = asyncio.Lock()
        self._ended = asyncio.Event()
        self._loop.add_reader(sock, self._read)

    async def hello(self) -> Message:
        """Return the first message of the supervisor.

        Raises:
            CellLostError: The supervisor has gone.
        """
        return await self._answer(0)

    async def ask(self, head: Head, body: bytes = b"") -> Message:
        """Send a question and return its answer; whoever asks closes the answer's file.

        Raises:
            CellLostError: The supervisor has gone.
        """
        number = next(self._numbers)
        self._open[number] = self._loop.create_future()
        try:
            await self._send(Message({**head, "id": number}, body))
            return await self._answer(number)
        finally:
            self._open.pop(number, None)

    async def _answer(self, number: int) -> Message:
        if self._ended.is_set():
            raise CellLostError(_LOST)
        try:
            return await self._open[number]
        finally:
            self._open.pop(number, None)

    async def _send(self, message: Message) -> None:
        async with self._sending:
            while True:
                try:
                    return framing.send(self._sock, message)
                except BlockingIOError:
                    await self._writable()
                except OSError as error:
                    raise CellLostError(f"{_LOST}: {error}") from error

    async def _writable(self) -> None:
        ready = asyncio.Event()
        self._loop.add_writer(self._sock, ready.set)
        try:
            await ready.wait()
        finally:
            self._loop.remove_writer(self._sock)

    def _read(self) -> None:
        for message in self._messages():
            waiting = self._open.pop(message.head["id"], None)
            if waiting is not None and not waiting.done():
                waiting.set_result(message)
            elif message.file is not None:  # nobody waits for it any more
                os.close(message.file)

    def _messages(self) -> Iterator[Message]:
        while True:
            try:
                message = framing.receive(self._sock)
            except BlockingIOError:
                return
            except OSError:
                message = None
            if message is None:
                self._end()
                return
            yield message

    def _end(self) -> None:
        self._loop.remove_reader(self._sock)
        self._ended.set()
        for waiting in self._open.values():
            if not waiting.done():
                waiting.set_exception(CellLostError(_LOST))
                waiting.exception()  # it may be that nobody waits

    def hang_up(self) -> None:
        """Notify the supervisor that no further request follows: it kills and removes everything."""
        with contextlib.suppress(OSError):
            self._sock.shutdown(socket.SHUT_WR)

    async def ended(self) -> None:
        """Wait until the supervisor has closed its end, which it does last of all."""
        await self._ended.wait()

    def close(self) -> None:
        """Close our end."""
        self._loop.remove_reader(self._sock)
        self._sock.close()
