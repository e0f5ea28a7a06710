"""Metrics that need a neural network, which this service does not have."""

from __future__ import annotations

from i2s_metrics.functional.errors import UndefinedError
from i2s_metrics.metrics.base import Metric
from i2s_metrics.model import Profile, Value
from i2s_metrics.pair import Pair


class _NetworkMetric(Metric):
    version = "0"
    profiles = frozenset({Profile.PAPER, Profile.HELM})
    symmetric = True

    def compute(self, pair: Pair) -> Value:
        """Raise: the service looks at ``missing`` first and never comes here."""
        raise UndefinedError(self.missing)


class LearnedPerceptualSimilarity(_NetworkMetric):
    """1 - LPIPS."""

    name = "lpips"
    summary = "1 minus the learned perceptual distance of VGG16 features."
    source = "Image2Struct, appendix A; R. Zhang et al., 2018, v0.1 linear weights"
    lower_bound = -1.0
    missing = (
        "lpips needs PyTorch with the weights of VGG16 and of LPIPS v0.1, and this version of the service "
        "runs no networks; leave lpips out of the metrics asked for"
    )


class InceptionSimilarity(_NetworkMetric):
    """Cosine similarity of Inception vectors."""

    name = "cis"
    summary = "Cosine similarity of Inception v3 vectors, as (cos + 1) / 2."
    source = "Image2Struct, section 2.2"
    missing = (
        "cis needs PyTorch with the weights of Inception v3, and this version of the service runs no "
        "networks; leave cis out of the metrics asked for"
    )
