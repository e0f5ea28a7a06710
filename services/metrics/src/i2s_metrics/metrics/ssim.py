"""Structural similarity."""

from __future__ import annotations

from i2s_metrics.functional.ssim import check_leaderboard_size, structural_similarity
from i2s_metrics.metrics.base import Metric
from i2s_metrics.model import Value
from i2s_metrics.pair import Pair
from i2s_wire.metrics.profile import Profile


class PaperStructuralSimilarity(Metric):
    """SSIM of the grey pictures, moved to [0, 1]; the window fits into every picture."""

    name = "ssim"
    summary = "Mean structural similarity s of the grey pictures, as (s + 1) / 2."
    source = "Image2Struct, appendix A; scikit-image structural_similarity with its defaults, data range 255"
    version = "2"
    profiles = frozenset({Profile.PAPER})
    symmetric = True

    def compute(self, pair: Pair) -> Value:
        """Return (s + 1) / 2."""
        return Value(structural_similarity(pair.prediction_grey, pair.reference_grey))


class HelmStructuralSimilarity(PaperStructuralSimilarity):
    """The same, but 0 for pictures smaller than the window."""

    source = "HELM at commit 63754d05"
    version = "1"
    profiles = frozenset({Profile.HELM})

    def compute(self, pair: Pair) -> Value:
        """Return (s + 1) / 2.

        Raises:
            UndefinedError: A side is shorter than the window.
        """
        check_leaderboard_size(pair.reference_grey)
        return super().compute(pair)

    def undefined_value(self) -> Value:
        """Return 0, as the leaderboard records a failure."""
        return Value(0.0)
