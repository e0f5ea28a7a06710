"""Whether an answer is one of those that the target accepts."""

from __future__ import annotations

from dataclasses import dataclass

from i2s_sdk.scoring.scorer import Metric, MetricValues, NotUsable, Scorable, Scorer


@dataclass(frozen=True, slots=True)
class AcceptedScorer(Scorer):
    """Gives 1 for an accepted answer, 0.5 for one that differs in case alone, else 0."""

    name: str = "accepted"
    version: str = "3"
    metrics: tuple[Metric, ...] = (Metric("accepted"), Metric("length", unusable=-1.0, low=-1.0, high=100.0))
    in_worker: bool = True

    def applies(self, sample: Scorable) -> bool:
        """Return whether there are accepted answers."""
        return bool(sample.target)

    def score(self, sample: Scorable) -> MetricValues | NotUsable:
        """Return the values of an answer; one with digits is not usable."""
        answer = sample.structure or ""
        if any(map(str.isdigit, answer)):
            return NotUsable("a colour has no digits")
        alike = answer.lower() in [one.lower() for one in sample.target]
        value = 1.0 if answer in sample.target else 0.5 if alike else 0.0
        return MetricValues({"accepted": value, "length": float(len(answer))})
