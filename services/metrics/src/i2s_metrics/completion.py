"""Completes a draft to a score: networks compare what they have to, and values follow from that."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Protocol

from i2s_chassis.server.spans import span
from i2s_metrics import registry
from i2s_metrics.functional.errors import UndefinedError
from i2s_metrics.metrics.base import Metric
from i2s_metrics.model import Draft, Inputs, Job, JobResult, Outcome
from i2s_metrics.networks.messages import Answer
from i2s_wire.metrics.score import MetricFailure, MetricFailureKind


class Comparer(Protocol):
    """What compares pictures; see ``networks.networks.Networks``."""

    async def compare(self, inputs: Inputs) -> Answer:
        """Compare two pictures."""


async def complete(job: Job, draft: Draft, networks: Comparer) -> JobResult:
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


def _raised(answer: Answer | BaseException) -> Answer:
    if isinstance(answer, BaseException):
        raise answer
    return answer


def _outcome(metric: Metric, answer: Answer) -> Outcome:
    try:
        return metric.value_of(answer.value)
    except UndefinedError as error:
        return metric.undefined_value() or MetricFailure(MetricFailureKind.UNDEFINED, str(error))
