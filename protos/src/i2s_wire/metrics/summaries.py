"""What each image metric measures, in one sentence; the metric service and reports say the same."""

from __future__ import annotations

from collections.abc import Mapping

from i2s_wire.metrics.profile import Profile

#: Summaries by profile and name of the metric.
SUMMARIES: Mapping[Profile, Mapping[str, str]] = {
    Profile.PAPER: {
        "ems": "Earth Mover Similarity: 1 minus the cost of moving patches of pixels, relative to a blank.",
        "pixel": "Share of pixels outside the common background whose colours differ by at most 2 %.",
        "exact": "1 if both images have one size and no pixel differs by more than 2 % in a channel, else 0.",
        "ssim": "Mean structural similarity s of the grey images, as (s + 1) / 2.",
        "lpips": (
            "1 minus the learned perceptual distance of VGG16 features, both images resized to 256 x 256."
        ),
        "cis": "Cosine of the 2048 penultimate values of Inception v3, as (1 + cos) / 2.",
        "ems_scaled": "ems after the rendering was resized to its reference.",
        "ssim_scaled": "ssim after the rendering was resized to its reference.",
    },
    Profile.HELM: {
        "ems": "Earth Mover Similarity as the leaderboard v1.0.x has it.",
        "pixel": "Share of nearly equal rows of the grey images, as the leaderboard v1.0.x has it.",
        "ssim": "Mean structural similarity s of the grey images, as (s + 1) / 2.",
        "lpips": "1 minus the learned perceptual distance; 0 if a pixel is darker than mid-grey.",
        "cis": "Cosine of the 1000 class scores of Inception v3 for the central square, as (1 + cos) / 2.",
    },
}
