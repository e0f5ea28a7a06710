"""The metrics that tasks have of two images: the rendering and the reference."""

from __future__ import annotations

from i2s_sdk.scoring.scorer import Aggregate, Metric
from i2s_wire.metrics.profile import Profile

#: The share of exact matches.
EXACT = "exact"


def metrics_of_images(profile: Profile) -> tuple[str, ...]:
    """Return the metrics of a task whose references are images, the main one first.

    Profile ``helm`` has what the released code has, which counts no exact matches.
    """
    exact = () if profile is Profile.HELM else (EXACT,)
    return ("ems", "pixel", *exact, "ssim", "lpips", "cis")


def image_metric(name: str) -> Metric:
    """Return a metric of images as a column."""
    return Metric(name, aggregate=Aggregate.SHARE if name == EXACT else Aggregate.MEAN)
