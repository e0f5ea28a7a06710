"""The service's end of the process that runs the networks."""

from __future__ import annotations

import asyncio
import itertools
import socket
import time
from collections.abc import Callable
from typing import Self

from i2s_chassis.jail.own_process import Confinement
from i2s_metrics.confinement import network_needs
from i2s_metrics.forking import Child, WorkerLostError, start
from i2s_metrics.frames import WorkerError, framed
from i2s_metrics.model import Inputs
from i2s_metrics.networks import messages
from i2s_metrics.networks.host import run
from i2s_metrics.networks.host_settings import HostSettings
from i2s_metrics.networks.messages import Answer, Description
from i2s_metrics.time_bound import within

#: What the process runs with its end of the socket.
Program = Callable[[socket.socket, HostSettings], None]


class NetworkProcess:
    """A running process; any number of comparisons at once. Made by ``start``, ended by ``close``.

    Attributes:
        description: What it runs on.
        pid: Its process id.
        last_sign: When it last answered, by the monotonic clock.
    """

    def __init__(self, child: Child, description: Description) -> None:
        self.description, self.pid = description, child.process.pid or 0
        self.last_sign = time.monotonic()
        self._child = child
        self._numbers = itertools.count()
        self._waiting: dict[int, asyncio.Future[Answer]] = {}
        self._listening = asyncio.create_task(self._listen())

    @classmethod
    async def start(cls, settings: HostSettings, seconds: float, program: Program = run) -> Self:
        """Start a process and wait until its networks are loaded.

        Args:
            settings: Settings of the process.
            seconds: Time that loading may take. The time for which the machine keeps the process waiting for
                a processor does not count.
            program: What it runs; another one is for tests.

        Raises:
            WorkerLostError: It ended before that, or took too long.
            WorkerError: It cannot be confined or cannot load them; the message says why.
        """
        needs = network_needs(settings) if settings.confined else None
        child = await start(program, settings, needs, settings.log_bytes)
        try:
            first = await within(seconds, child.process.pid or 0, child.receive(messages.MOST_ANSWER_BYTES))
            return cls(child, messages.unpack_description(first))
        except TimeoutError:
            await child.end()
            raise WorkerLostError(
                f"the networks were not loaded within {seconds:g} s, not counting the time for which the "
                "machine kept them waiting for a processor (--network-patience-seconds)"
            ) from None
        except BaseException:
            await child.end()
            raise

    @property
    def confinement(self) -> Confinement | None:
        """What the process is confined by; None for nothing."""
        return self._child.confinement

    @property
    def alive(self) -> bool:
        """Whether the process runs and is listened to."""
        return self._child.alive and not self._listening.done()

    async def compare(self, inputs: Inputs) -> Answer:
        """Compare two pictures, in one batch with what others ask.

        Raises:
            WorkerLostError: The process ended before it answered.
            WorkerError: It met a fault of this program.
        """
        if not self.alive:
            raise WorkerLostError
        number = next(self._numbers)
        self._waiting[number] = asyncio.get_running_loop().create_future()
        try:
            await self._child.send(messages.pack_request(number, inputs))
            return await self._waiting[number]
        except asyncio.CancelledError:
            self._child.writer.write(framed(messages.pack_drop(number)))
            raise
        finally:
            del self._waiting[number]

    async def close(self) -> None:
        """Kill the process and wait for its end; calls that wait for an answer raise WorkerLostError."""
        self._listening.cancel()
        await asyncio.gather(self._listening, return_exceptions=True)
        await self._child.end()

    async def _listen(self) -> None:
        error: Exception = WorkerLostError()
        try:
            while True:
                number, answer = messages.unpack_answer(await self._child.receive(messages.MOST_ANSWER_BYTES))
                self.last_sign = time.monotonic()
                waiting = self._waiting.get(number)
                if waiting is None or waiting.done():
                    continue
                if isinstance(answer, WorkerError):
                    waiting.set_exception(answer)
                else:
                    waiting.set_result(answer)
        except (WorkerLostError, WorkerError) as reason:
            error = reason
        finally:
            for waiting in self._waiting.values():
                if not waiting.done():
                    waiting.set_exception(error)
