"""A scorer of the task ``shade``, and one that this package adds to the task ``sobench``."""

from __future__ import annotations

from dataclasses import dataclass

from i2s_sdk.scoring.scorer import Metric, MetricValues, Scorable, Scorer
from i2s_wire.metrics.profile import Profile


@dataclass(frozen=True, slots=True)
class DistanceScorer(Scorer):
    """1 minus the distance of two shades of grey, each from 0 (black) to 255 (white), divided by 255."""

    name: str = "distance"
    version: str = "1"
    metrics: tuple[Metric, ...] = (Metric("closeness"),)
    in_worker: bool = False

    def applies(self, sample: Scorable) -> bool:
        """Return whether the shade is known."""
        return sample.target is not None

    def score(self, sample: Scorable) -> MetricValues:
        """Return the closeness of the answer to the target."""
        return MetricValues({"closeness": 1.0 - abs(int(sample.structure or "0") - sample.target) / 255.0})


@dataclass(frozen=True, slots=True)
class CharactersScorer(Scorer):
    """The number of characters of an answer.

    Attributes:
        profile: Profile whose rules are followed; the metric is the same in all.
    """

    profile: Profile = Profile.PAPER
    name: str = "characters"
    version: str = "1"
    metrics: tuple[Metric, ...] = (Metric("characters", high=10000.0),)
    in_worker: bool = False

    def applies(self, sample: Scorable) -> bool:
        """Return True: every answer has a length."""
        return True

    def score(self, sample: Scorable) -> MetricValues:
        """Return the length of the answer, at most 10000."""
        return MetricValues({"characters": float(min(len(sample.structure or ""), 10000))})
