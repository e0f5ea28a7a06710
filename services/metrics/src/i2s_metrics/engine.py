"""The engine: worker processes that draft scores, and networks that complete them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Protocol, Self

from i2s_chassis.errors import DeadlineExceededError, UnavailableError
from i2s_chassis.jail.own_process import Confinement
from i2s_chassis.server.spans import span
from i2s_chassis.server.telemetry import Telemetry
from i2s_chassis.warm.pool import Supervisor
from i2s_metrics import registry
from i2s_metrics.confinement import worker_needs
from i2s_metrics.errors import UndefinedError
from i2s_metrics.frames import MOST_ANSWER_BYTES, pack_job, unpack_draft
from i2s_metrics.model import ComparisonJob, Draft, Inputs, JobResult, Outcome
from i2s_metrics.networks.messages import NetworkAnswer
from i2s_metrics.processes import ChildProcess, WorkerLostError, start, within
from i2s_metrics.registry import ImageMetric
from i2s_metrics.worker import WorkerSettings, work
from i2s_wire.metrics.score import MetricFailure, MetricFailureKind


class Comparer(Protocol):
    """The comparer of images; see ``networks.networks.Networks``."""

    async def compare(self, inputs: Inputs) -> NetworkAnswer:
        """Compare two images."""


async def complete(job: ComparisonJob, draft: Draft, networks: Comparer) -> JobResult:
    """Return the score that a draft becomes.

    Args:
        job: The job of the draft.
        draft: The draft of a worker.
        networks: Networks, which are asked for all that is wanting at once, so that it can become one batch.

    Raises:
        CallError: The networks did not answer: no score is made of the rest.
    """
    wanting = [outcome for outcome in draft.outcomes if isinstance(outcome, Inputs)]
    with span("networks") if wanting else contextlib.nullcontext():
        asked = await asyncio.gather(
            *(networks.compare(inputs) for inputs in wanting), return_exceptions=True
        )
    answers = [_raised(answer) for answer in asked]
    given = iter(answers)
    outcomes = tuple(
        _outcome(registry.find(name, job.profile), next(given)) if isinstance(outcome, Inputs) else outcome
        for name, outcome in zip(job.metrics, draft.outcomes, strict=True)
    )
    cpu_seconds = draft.cpu_seconds + sum(answer.cpu_seconds for answer in answers)
    return JobResult(outcomes, draft.width, draft.height, cpu_seconds)


def _raised(answer: NetworkAnswer | BaseException) -> NetworkAnswer:
    if isinstance(answer, BaseException):
        raise answer
    return answer


def _outcome(metric: ImageMetric, answer: NetworkAnswer) -> Outcome:
    try:
        return metric.value_of(answer.value)
    except UndefinedError as error:
        return metric.undefined_value or MetricFailure(MetricFailureKind.UNDEFINED, str(error))


class WorkerProcess:
    """A running worker. Made by ``start``, ended by ``close``, whatever it is doing."""

    def __init__(self, child: ChildProcess) -> None:
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

    async def draft(self, job: ComparisonJob) -> Draft:
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


class MetricsEngine:
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
    ) -> AsyncIterator[MetricsEngine]:
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

    async def score(self, job: ComparisonJob) -> JobResult:
        """Have a job done. Cancelling ends it at once, by killing its process.

        The worker is free for another job while networks compare.

        Raises:
            UnavailableError: The process was lost in the middle of the job, or there is none.
            DeadlineExceededError: The job took longer than any may.
            WorkerError: A fault of this program.
        """
        return await complete(job, await self._draft(job), self._networks)

    async def _draft(self, job: ComparisonJob) -> Draft:
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
