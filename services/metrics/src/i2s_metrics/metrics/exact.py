"""Exact matches."""

from __future__ import annotations

from i2s_metrics.functional.pixel import pixel_similarity
from i2s_metrics.metrics.base import Metric
from i2s_metrics.model import Value
from i2s_metrics.pair import Pair
from i2s_wire.metrics.profile import Profile


class ExactMatch(Metric):
    """Whether the prediction equals the reference; its mean is the share of exact matches."""

    name = "exact"
    summary = "1 if both images have one size and no pixel differs by more than 2 % in a channel, else 0."
    source = "this project: pixel = 1 at equal size"
    version = "1"
    profiles = frozenset({Profile.PAPER})
    symmetric = True

    def compute(self, pair: Pair) -> Value:
        """Return 1 or 0."""
        return Value(float(pair.same_size and pixel_similarity(pair.prediction, pair.reference) == 1))
