"""Pixel similarity."""

from __future__ import annotations

from i2s_metrics.functional.pixel import pixel_row_similarity, pixel_similarity
from i2s_metrics.metrics.base import Metric
from i2s_metrics.model import Value
from i2s_metrics.pair import Pair
from i2s_wire.metrics.profile import Profile


class PaperPixelSimilarity(Metric):
    """Pixel similarity by the definition of the paper."""

    name = "pixel"
    summary = "Share of pixels outside the common background whose colours differ by at most 2 %."
    source = "Image2Struct, appendix A, equation 5 and the paragraph after it"
    version = "1"
    profiles = frozenset({Profile.PAPER})
    symmetric = True

    def compute(self, pair: Pair) -> Value:
        """Return the share of agreeing pixels."""
        return Value(pixel_similarity(pair.prediction, pair.reference))


class HelmPixelSimilarity(Metric):
    """Over rows of the grey picture, as on the leaderboard."""

    name = "pixel"
    summary = "Share of nearly equal rows of the grey pictures, as the leaderboard v1.0.x has it."
    source = "HELM at commit 63754d05"
    version = "1"
    profiles = frozenset({Profile.HELM})
    symmetric = False

    def compute(self, pair: Pair) -> Value:
        """Return the share of matching rows."""
        return Value(pixel_row_similarity(pair.prediction_grey, pair.reference_grey))

    def undefined_value(self) -> Value:
        """Return 0, as the leaderboard records a failure."""
        return Value(0.0)
