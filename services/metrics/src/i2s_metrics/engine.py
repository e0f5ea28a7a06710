"""The engine: worker processes, so that every core computes and a crash costs one job."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from i2s_chassis.errors import DeadlineExceededError, UnavailableError
from i2s_chassis.jail.own_process import Confinement
from i2s_chassis.server.spans import span
from i2s_chassis.server.telemetry import Telemetry
from i2s_chassis.warm.pool import Supervisor
from i2s_metrics.completion import Comparer, complete
from i2s_metrics.forking import WorkerLostError
from i2s_metrics.model import Draft, Job, JobResult
from i2s_metrics.process import WorkerProcess
from i2s_metrics.time_bound import within
from i2s_metrics.worker import WorkerSettings


class Engine:
    """Scores jobs in warm processes, one job at a time in each."""

    def __init__(self, pool: Supervisor[WorkerProcess], networks: Comparer, wall_seconds: float) -> None:
        self._pool, self._networks, self._wall_seconds = pool, networks, wall_seconds

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        settings: WorkerSettings,
        networks: Comparer,
        *,
        workers: int,
        jobs_per_worker: int,
        wall_seconds: float,
        telemetry: Telemetry,
    ) -> AsyncIterator[Engine]:
        """Run an engine as long as the block lasts.

        Args:
            settings: Settings of each worker.
            networks: Networks, which are asked for what workers leave open.
            workers: Processes.
            jobs_per_worker: Jobs after which a process is replaced.
            wall_seconds: Time after which a job is given up and its process killed. The time for which the
                machine keeps the process waiting for a processor does not count.
            telemetry: The metrics that count workers that are ready and that are replaced.
        """
        pool = Supervisor[WorkerProcess](
            lambda: WorkerProcess.start(settings),
            WorkerProcess.close,
            size=workers,
            jobs_per_worker=jobs_per_worker,
            alive=lambda worker: worker.alive,
            on_recycle=telemetry.recycle,
            on_ready=lambda ready: telemetry.warm("process", ready),
        )
        async with pool:
            yield cls(pool, networks, wall_seconds)

    async def confinement(self) -> Confinement | None:
        """Return what a worker is confined by.

        Raises:
            UnavailableError: There is none.
        """
        async with self._pool.lease() as lease:
            return lease.worker.confinement

    async def score(self, job: Job) -> JobResult:
        """Have a job done. Cancelling ends it at once, by killing its process.

        The worker is free for another job while networks compare.

        Raises:
            UnavailableError: The process was lost in the middle of the job, or there is none.
            DeadlineExceededError: The job took longer than any may.
            WorkerError: A fault of this program.
        """
        return await complete(job, await self._draft(job), self._networks)

    async def _draft(self, job: Job) -> Draft:
        try:
            async with self._pool.lease() as lease:
                worker = lease.worker
                with span("compare"):
                    return await within(self._wall_seconds, worker.pid, worker.draft(job))
        except TimeoutError:
            raise DeadlineExceededError(
                f"the comparison took longer than {self._wall_seconds:g} s, not counting the time for which "
                "the machine kept it waiting for a processor (--limit-wall-seconds)"
            ) from None
        except WorkerLostError:
            raise UnavailableError("the worker process was lost; send the request again") from None
