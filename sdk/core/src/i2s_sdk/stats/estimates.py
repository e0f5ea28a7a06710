"""Numbers computed of a sample, with what each observation contributes to them.

An interval needs no more of a ratio, a mean of columns or of groups, a difference or a skill than its
linearisation: the value, and the influence of each observation (Hampel 1974). The estimate varies between
samples as the mean of value plus influence does, which are the pseudo-values of the infinitesimal jackknife.

Sums are exact (math.fsum), so the order of the observations changes nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

#: What a sample adds to a ratio: numerator and denominator.
Part = tuple[float, float]

#: What a sample adds to the columns whose mean a value is; None where it has no value.
Row = tuple[Part | None, ...]

#: Influences up to this are those of equal observations.
_NOTHING = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class SampleEstimate:
    """A number computed of a sample."""

    #: The number.
    value: float
    #: What each observation contributes to its deviation, in units of the value; the mean is 0. Shape
    #: (observations,).
    influence: Floats
    #: The weight of each observation; the mean is 1. Shape (observations,).
    weights: Floats
    #: The least value that it can have.
    low: float
    #: The greatest.
    high: float

    @property
    def is_constant(self) -> bool:
        """Whether no observation differs from the others."""
        return float(abs(self.influence).max(initial=0.0)) <= _NOTHING


def estimated_mean(values: Iterable[float | None], low: float, high: float) -> SampleEstimate | None:
    """Return the mean of the values that are there; None if there is none.

    Args:
        values: Values in any order.
        low: Least value; values beyond it, or an infinite end, move it to the least of them.
        high: Greatest value; the same applies.
    """
    import numpy as np

    present = np.asarray([one for one in values if one is not None], np.float64)
    if not len(present):
        return None
    value = math.fsum(present) / len(present)
    return SampleEstimate(value, present - value, np.ones(len(present)), *_range(present, low, high))


def estimated_columns(
    rows: Sequence[Sequence[Part | None]], low: float, high: float
) -> SampleEstimate | None:
    """Return the mean over columns of the sum of numerators by the sum of denominators; None over no column.

    A column in which no sample has a denominator is left out.

    Args:
        rows: What each sample adds to each column, in any order.
        low: Least value; values of samples beyond it, or an infinite end, move it to the least of them.
        high: Greatest value; the same applies.
    """
    import numpy as np

    columns = []
    for column in zip(*rows, strict=True):
        tops, bottoms = np.asarray([(0.0, 0.0) if one is None else one for one in column], np.float64).T
        if total := math.fsum(bottoms):
            columns.append((tops, bottoms, math.fsum(tops) / total, total / len(rows)))
    if not columns:
        return None
    value = math.fsum(ratio for _, _, ratio, _ in columns) / len(columns)
    parts = [(tops - ratio * bottoms) / mean for tops, bottoms, ratio, mean in columns]
    weights = [bottoms / mean for _, bottoms, _, mean in columns]
    ratios = np.concatenate([tops[bottoms > 0] / bottoms[bottoms > 0] for tops, bottoms, _, _ in columns])
    ends = _range(ratios, low, high)
    return SampleEstimate(value, sum(parts) / len(parts), sum(weights) / len(weights), *ends)


def estimated_difference(first: SampleEstimate, second: SampleEstimate) -> SampleEstimate:
    """Return the second minus the first of two estimates of the same samples in the same order."""
    reach = max(first.high, second.high) - min(first.low, second.low)
    return SampleEstimate(
        second.value - first.value,
        second.influence - first.influence,
        (first.weights + second.weights) / 2,
        -reach,
        reach,
    )


def estimated_skill(
    value: SampleEstimate, floor: SampleEstimate, ceiling: SampleEstimate
) -> SampleEstimate | None:
    """Return (value - floor) / (ceiling - floor) of estimates of the same samples in the same order.

    Returns:
        The skill; None if the ceiling is not above the floor.
    """
    span = ceiling.value - floor.value
    if span <= 0:
        return None
    skill = (value.value - floor.value) / span
    influence = (value.influence - (1 - skill) * floor.influence - skill * ceiling.influence) / span
    low, high = (skill + (end - value.value) / span for end in (value.low, value.high))
    return SampleEstimate(skill, influence, value.weights, low, high)


def estimated_mean_of(groups: Sequence[SampleEstimate]) -> SampleEstimate:
    """Return the unweighted mean of estimates of different samples, at least one.

    The spread within a group is what it says of the variance of its estimate; that of one observation says
    nothing, so its distance from the mean over all groups stands for it, which is rather too much.
    """
    import numpy as np

    value = math.fsum(sample_estimate.value for sample_estimate in groups) / len(groups)
    total = sum(len(sample_estimate.influence) for sample_estimate in groups)
    influence, weights = [], []
    for group in groups:
        n = len(group.influence)
        scale = total / (len(groups) * n)
        if n > 1:
            influence.append(group.influence * scale * math.sqrt(n * (total - 1) / ((n - 1) * total)))
        else:
            influence.append(np.asarray([group.value - value]) * scale)
        weights.append(group.weights * scale)
    low = math.fsum(sample_estimate.low for sample_estimate in groups) / len(groups)
    high = math.fsum(sample_estimate.high for sample_estimate in groups) / len(groups)
    return SampleEstimate(value, np.concatenate(influence), np.concatenate(weights), low, high)


def _range(values: Floats, low: float, high: float) -> tuple[float, float]:
    """Return the ends of a range that holds all values; an infinite end is that of the values."""
    least, greatest = float(values.min()), float(values.max())
    return (
        min(low, least) if math.isfinite(low) else least,
        max(high, greatest) if math.isfinite(high) else greatest,
    )
