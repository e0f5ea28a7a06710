"""The engine's end of a worker process."""

from __future__ import annotations

from typing import Self

from i2s_chassis.jail.own_process import Confinement
from i2s_metrics.confinement import worker_needs
from i2s_metrics.forking import Child, start
from i2s_metrics.frames import MOST_ANSWER_BYTES, pack_job, unpack_draft
from i2s_metrics.model import Draft, Job
from i2s_metrics.worker import WorkerSettings, work


class WorkerProcess:
    """A running worker. Made by ``start``, ended by ``close``, whatever it is doing."""

    def __init__(self, child: Child) -> None:
        self._child = child

    @classmethod
    async def start(cls, settings: WorkerSettings) -> Self:
        """Start a process and wait until it can work.

        Raises:
            WorkerLostError: It ended before that.
            WorkerError: It cannot be confined; the message says why.
        """
        return cls(await start(work, settings, worker_needs(), settings.log_bytes))

    @property
    def confinement(self) -> Confinement | None:
        """The mechanisms that confine the process."""
        return self._child.confinement

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._child.process.pid or 0

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._child.alive

    async def draft(self, job: Job) -> Draft:
        """Have a job done. After a cancellation the worker is of no more use and must be closed.

        Raises:
            WorkerLostError: The process ended before it answered.
            WorkerError: It met a fault of this program.
        """
        await self._child.send(pack_job(job))
        return unpack_draft(await self._child.receive(MOST_ANSWER_BYTES))

    async def close(self) -> None:
        """Kill the process and wait for its end."""
        await self._child.end()
