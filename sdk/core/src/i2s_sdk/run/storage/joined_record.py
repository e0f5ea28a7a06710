"""The record of a sample: what its three stages found, joined."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from i2s_sdk.run.storage.answer import SampleAnswer
from i2s_sdk.run.storage.record import Failure, Outcome, ReadSample, Record, SampleRendering

_READ = tuple(one.name for one in fields(ReadSample))


@dataclass(frozen=True, slots=True)
class SampleScore:
    """What the stage "score" finds of a sample.

    Attributes:
        metrics: Metrics as in a record.
        undefined: Reasons as in a record.
        parts: Parts as in a record.
        detail: Details as in a record.
        not_usable: Why a scorer could not work on a structure that the task could read; None if all could.
    """

    metrics: Mapping[str, float | None] = field(default_factory=dict)
    undefined: Mapping[str, str] = field(default_factory=dict)
    parts: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    detail: Mapping[str, Any] = field(default_factory=dict)
    not_usable: str | None = None


def scored_record(rendered: SampleRendering, answer: SampleAnswer | None, score: SampleScore) -> Record:
    """Return the record of a sample that has its score."""
    return joined_record(rendered, answer, rendered.outcome or Outcome.SCORED, score)


def joined_record(
    read: ReadSample,
    answer: SampleAnswer | None,
    outcome: Outcome,
    score: SampleScore | None = None,
    failure: Failure | None = None,
) -> Record:
    """Return the record of a sample.

    Args:
        read: What is known of it beside answer and score.
        answer: What the model said; None if nothing was asked, or what that took is of no interest.
        outcome: How the sample ended.
        score: None if it has none.
        failure: What stopped it.
    """
    values: dict[str, Any] = {name: getattr(read, name) for name in _READ}
    if answer is not None:
        values |= {
            "completion": answer.completion,
            "failure": answer.failure,
            "finish": answer.finish,
            "reasoning": answer.reasoning,
            "usage": answer.usage,
            "cost": answer.cost,
            "cached": answer.cached,
            "cached_at": answer.cached_at,
            "attempts": answer.attempts,
            "cached_cost": answer.cached_cost,
            "seconds": {"generate": answer.seconds, **read.seconds},
        }
    if score is not None:
        names = ("metrics", "undefined", "parts", "detail")
        values |= {name: getattr(score, name) for name in names}
        if score.not_usable is not None:
            values |= {"usable": False, "message": score.not_usable}
    if failure is not None:
        values["failure"] = failure
    return Record(outcome=outcome, **values)
