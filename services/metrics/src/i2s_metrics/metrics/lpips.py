"""Learned perceptual image patch similarity."""

from __future__ import annotations

from i2s_metrics.functional.lpips import check_leaderboard_range, lpips_input, lpips_similarity
from i2s_metrics.metrics.base import Metric
from i2s_metrics.model import Comparison, Inputs, Network, Value
from i2s_metrics.pair import Pair
from i2s_wire.metrics.profile import Profile


class PaperLearnedPerceptualSimilarity(Metric):
    """1 - LPIPS."""

    name = "lpips"
    summary = "1 minus the learned perceptual distance of VGG16 features, both pictures resized to 256 x 256."
    source = "Image2Struct, appendix A; R. Zhang et al. 2018, equation 1, VGG16 with linear weights v0.1"
    version = "1"
    profiles = frozenset({Profile.PAPER})
    # Features are unit vectors without negative entries, so that one layer's distance is at most the sum of
    # its two greatest linear weights; over the five layers these come to 5.444.
    lower_bound = -4.444
    symmetric = True
    network = Network.VGG16

    def compute(self, pair: Pair) -> Inputs:
        """Return both pictures in the size of the network."""
        reference = pair.of_reference("lpips", lpips_input)
        prediction = lpips_input(pair.prediction)
        return Inputs(Comparison.LPIPS, prediction.tobytes(), reference.tobytes())

    def value_of(self, answer: float) -> Value:
        """Return 1 minus the distance that the network answered."""
        return Value(lpips_similarity(answer))


class HelmLearnedPerceptualSimilarity(PaperLearnedPerceptualSimilarity):
    """The same, but 0 wherever a pixel is darker than mid-grey, which is nearly everywhere."""

    summary = "1 minus the learned perceptual distance; 0 if a pixel is darker than mid-grey."
    source = "HELM at commit 63754d05"
    profiles = frozenset({Profile.HELM})

    def compute(self, pair: Pair) -> Inputs:
        """Return both pictures in the size of the network.

        Raises:
            UndefinedError: One of them has a dark pixel.
        """
        check_leaderboard_range(lpips_input(pair.prediction))
        check_leaderboard_range(lpips_input(pair.reference))
        return super().compute(pair)

    def undefined_value(self) -> Value:
        """Return 0, as the leaderboard records a failure."""
        return Value(0.0)
