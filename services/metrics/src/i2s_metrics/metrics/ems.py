"""Earth Mover Similarity."""

from __future__ import annotations

import math
from typing import ClassVar

from i2s_metrics.functional.ems import HELM, PAPER, EarthMover, Reference, Rules, earth_mover_similarity
from i2s_metrics.metrics.base import Metric
from i2s_metrics.model import Value
from i2s_metrics.pair import Pair
from i2s_wire.metrics.profile import Profile


class _EarthMoverSimilarity(Metric):
    name = "ems"
    symmetric = False
    parts = ("block_emd", "denominator")
    rules: ClassVar[Rules]

    def compute(self, pair: Pair) -> Value:
        """Return the similarity with the two distances that it is the ratio of."""
        kept = f"{self.name}/{type(self).__name__}"
        reference = pair.of_reference(kept, lambda picture: Reference.of(picture, self.rules))
        return _value(earth_mover_similarity(pair.prediction, reference, self.rules))


class PaperEarthMoverSimilarity(_EarthMoverSimilarity):
    """EMS in [0, 1], relative to the larger of the distances from black and from white."""

    summary = "Earth Mover Similarity: 1 minus the cost of moving patches of pixels, relative to a blank."
    source = "Image2Struct, section 2.2, equations 3 and 4; patches after HELM at commit 63754d05"
    version = "2"
    profiles = frozenset({Profile.PAPER})
    rules = PAPER


class HelmEarthMoverSimilarity(_EarthMoverSimilarity):
    """EMS of the leaderboard: not clipped, and 0 if its program fails."""

    summary = "Earth Mover Similarity as the leaderboard v1.0.x has it."
    source = "HELM at commit 63754d05, white background recognised (as with AVX-512 kernels)"
    version = "2"
    profiles = frozenset({Profile.HELM})
    lower_bound = -math.inf
    rules = HELM

    def undefined_value(self) -> Value:
        """Return 0 for both of the leaderboard's columns."""
        return Value(0.0, {"block_emd": 0.0})


def _value(result: EarthMover) -> Value:
    return Value(result.value, {"block_emd": result.block_emd, "denominator": result.denominator})
