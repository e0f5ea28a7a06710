"""The networks as the rest of the service sees them: started when first needed, replaced when lost."""

from __future__ import annotations

import asyncio
import itertools
import logging
import socket
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Self

from i2s_chassis.errors import UnavailableError
from i2s_chassis.jail.own_process import Confinement
from i2s_chassis.server.telemetry import Telemetry
from i2s_chassis.warm.pool import Backoff
from i2s_metrics.confinement import log_confinement, network_needs
from i2s_metrics.frames import WorkerError, framed
from i2s_metrics.model import Inputs
from i2s_metrics.networks import messages
from i2s_metrics.networks.host import run
from i2s_metrics.networks.messages import Description, HostSettings, NetworkAnswer
from i2s_metrics.processes import LOOK_SECONDS, ChildProcess, ProcessClock, WorkerLostError, start, within

#: What the process runs with its end of the socket.
Program = Callable[[socket.socket, HostSettings], None]


class NetworkProcess:
    """A running process; any number of comparisons at once. Made by ``start``, ended by ``close``.

    Attributes:
        description: What it runs on.
        pid: Its process id.
        last_sign: When it last answered, by the monotonic clock.
    """

    def __init__(self, child: ChildProcess, description: Description) -> None:
        self.description, self.pid = description, child.process.pid or 0
        self.last_sign = time.monotonic()
        self._child = child
        self._numbers = itertools.count()
        self._waiting: dict[int, asyncio.Future[NetworkAnswer]] = {}
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
        """The confinement of the process; None for nothing."""
        return self._child.confinement

    @property
    def alive(self) -> bool:
        """Whether the process runs and is listened to."""
        return self._child.alive and not self._listening.done()

    async def compare(self, inputs: Inputs) -> NetworkAnswer:
        """Compare two images, in one batch with what others ask.

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


_log = logging.getLogger(__name__)
_WARM = "networks"
_BACKOFF = Backoff()


class NetworksError(Exception):
    """The process of the networks cannot be started; the message says why."""


class Networks:
    """One process for one device, shared by all calls.

    Args:
        settings: Settings of the process.
        patience_seconds: Silence after which the process is taken for stuck and replaced, and time in which
            it must load its networks. The time for which the machine keeps it waiting for a processor does
            not count.
        telemetry: The metrics that count the ready process, and its replacements by reason.
        backoff: Pauses between failed starts.
        program: What the process runs; another one is for tests.
    """

    def __init__(
        self,
        settings: HostSettings,
        patience_seconds: float,
        telemetry: Telemetry,
        backoff: Backoff = _BACKOFF,
        program: Program = run,
    ) -> None:
        self._settings, self._program = settings, program
        self._patience_seconds, self._telemetry = patience_seconds, telemetry
        self._backoff, self._failures, self._not_before = backoff, 0, 0.0
        self._process: NetworkProcess | None = None
        self._starting = asyncio.Lock()
        self._loading: asyncio.Task[NetworkProcess] | None = None

    @classmethod
    @asynccontextmanager
    async def open(
        cls, settings: HostSettings, patience_seconds: float, telemetry: Telemetry
    ) -> AsyncIterator[Networks]:
        """Have networks as long as the block lasts; nothing is started yet."""
        networks = cls(settings, patience_seconds, telemetry)
        try:
            yield networks
        finally:
            await networks.close()

    @property
    def description(self) -> Description | None:
        """The device of the process; None as long as none was started."""
        return self._process.description if self._process else None

    async def start(self) -> None:
        """Start the process now rather than at the first comparison.

        Raises:
            NetworksError: It cannot be started.
        """
        await self._running()

    async def compare(self, inputs: Inputs) -> NetworkAnswer:
        """Compare two images.

        Raises:
            UnavailableError: The process was lost or stuck in the middle, or cannot be started.
            WorkerError: A fault of this program.
        """
        try:
            process = await self._running()
        except NetworksError as error:
            _log.error("the networks cannot be started: %s", error)
            raise UnavailableError(
                "the networks cannot be started; the service's log says why", self._pushback_ms()
            ) from None
        try:
            return await self._answer(process, inputs)
        except WorkerLostError:
            raise UnavailableError("the process of the networks was lost; send the request again") from None

    async def close(self) -> None:
        """End the process."""
        if self._loading is not None:
            self._loading.cancel()
            await asyncio.wait({self._loading})
        async with self._starting:
            await self._end(None)

    async def _running(self) -> NetworkProcess:
        """Return the process, which is loaded if there is none.

        Loading goes on if the call that needed it first is given up: the next one finds the networks loaded.
        """
        if self._loading is None or self._loading.done():
            self._loading = asyncio.create_task(self._alive_or_loaded())
            self._loading.add_done_callback(_noticed)
        return await asyncio.shield(self._loading)

    async def _alive_or_loaded(self) -> NetworkProcess:
        async with self._starting:
            if self._process is not None and self._process.alive:
                return self._process
            if self._process is not None:
                await self._end("died")
            if time.monotonic() < self._not_before:
                raise NetworksError("the last start failed a moment ago")
            try:
                self._process = await NetworkProcess.start(
                    self._settings, self._patience_seconds, self._program
                )
            except (WorkerLostError, WorkerError, OSError) as error:
                self._failures += 1
                self._not_before = time.monotonic() + self._backoff.pause(self._failures)
                raise NetworksError(str(error) or "the process ended while it loaded them") from error
            self._failures = 0
            self._telemetry.warm(_WARM, 1)
            description = self._process.description
            _log.info("networks on %s in %s", description.device, description.precision)
            log_confinement("networks", self._process.confinement)
            return self._process

    async def _answer(self, process: NetworkProcess, inputs: Inputs) -> NetworkAnswer:
        """Wait for an answer as long as the process answers anybody, however long the line is."""
        answer = asyncio.create_task(process.compare(inputs))
        silence, last_sign = ProcessClock(process.pid), process.last_sign
        try:
            while True:
                if process.last_sign != last_sign:
                    silence.restart()
                    last_sign = process.last_sign
                left = self._patience_seconds - silence.seconds()
                if left <= 0:
                    _log.error("the networks were silent for %g s and are replaced", self._patience_seconds)
                    await self._replace(process)
                await asyncio.wait({answer}, timeout=min(LOOK_SECONDS, left) if left > 0 else None)
                if answer.done():
                    return answer.result()
        finally:
            answer.cancel()
            await asyncio.gather(answer, return_exceptions=True)

    async def _replace(self, process: NetworkProcess) -> None:
        async with self._starting:
            if self._process is process:
                await self._end("stuck")

    async def _end(self, reason: str | None) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        self._telemetry.warm(_WARM, 0)
        if reason is not None:
            self._telemetry.recycle(reason)
        await process.close()

    def _pushback_ms(self) -> int:
        return round(1000 * max(0.0, self._not_before - time.monotonic()))


def _noticed(loading: asyncio.Task[NetworkProcess]) -> None:
    """See to it that a failure is noticed, also if all calls that waited for it were given up."""
    if not loading.cancelled():
        loading.exception()
