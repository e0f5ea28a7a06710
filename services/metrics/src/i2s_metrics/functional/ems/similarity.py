"""Step 8 of Earth Mover Similarity: the ratio that is the metric."""

from __future__ import annotations

from dataclasses import dataclass

from i2s_metrics.functional.arrays import RgbArray
from i2s_metrics.functional.ems.outer import transport, without_shared_background
from i2s_metrics.functional.ems.patches import PatchSet
from i2s_metrics.functional.ems.reference import Reference, position_scale
from i2s_metrics.functional.ems.resample import resample
from i2s_metrics.functional.ems.rules import Rules
from i2s_metrics.functional.errors import UndefinedError

#: Share of the background above which patches that are background in both pictures are dropped.
_MOSTLY = 0.5


@dataclass(frozen=True, slots=True)
class EarthMover:
    """Earth Mover Similarity and what it is made of.

    Attributes:
        value: 1 - block_emd / denominator, within the range of the rules.
        block_emd: Distance of the prediction from the reference.
        denominator: Distance of a picture of one colour from the reference: in ``paper`` the larger of the
            distances of black and white.
    """

    value: float
    block_emd: float
    denominator: float


def earth_mover_similarity(prediction: RgbArray, reference: RgbArray | Reference, rules: Rules) -> EarthMover:
    """Compare two pictures by what it costs to move the patches of one to those of the other.

    Args:
        prediction: Shape (height, width, 3), at least one pixel.
        reference: The same shape, or a picture of that shape made ready with the same rules.
        rules: ``PAPER`` (result in [0, 1]) or ``HELM`` (at most 1, without lower bound).

    Returns:
        The similarity, 1 for equal pictures. Not symmetric: background, weights and denominator
        are the reference's.

    Raises:
        UndefinedError: The metric is not defined for pictures of this shape.
        ValueError: The shapes differ.

    Source:
        Image2Struct, section 2.2, equations 3 and 4; patch size, scale of positions, weights and background
        after HELM at commit 63754d05, which the published values come from.
    """
    ready = reference if isinstance(reference, Reference) else Reference.of(reference, rules)
    if prediction.shape != ready.shape:
        raise ValueError(f"prediction of shape {prediction.shape}, reference of shape {ready.shape}")
    block_emd = _block_emd(prediction, ready, rules)
    value = _ratio(block_emd, ready.denominator)
    if rules.clips:
        value = min(max(value, 0.0), 1.0)
    return EarthMover(value, block_emd, ready.denominator)


def _block_emd(prediction: RgbArray, reference: Reference, rules: Rules) -> float:
    reduced = resample(prediction, reference.size)
    ours = PatchSet.of(reduced, reference.background.rgb, rules)
    theirs = reference.patches
    if reference.background.share > _MOSTLY:
        ours, theirs = without_shared_background(ours, theirs)
    return transport(ours, theirs, position_scale(reference.size), rules)


def _ratio(block_emd: float, denominator: float) -> float:
    if denominator > 0:
        return 1 - block_emd / denominator
    if block_emd == 0:
        return 1.0
    raise UndefinedError("ems divides by the distance of the reference from one colour, which is 0 here")
