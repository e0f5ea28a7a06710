"""Steps 5 to 7 of Earth Mover Similarity: moving the patches of one picture to another's."""

from __future__ import annotations

import numpy as np

from i2s_metrics.functional.arrays import IntArray
from i2s_metrics.functional.ems.bounds import lower_bounds
from i2s_metrics.functional.ems.inner import contents_of
from i2s_metrics.functional.ems.lazy import lazy_transport
from i2s_metrics.functional.ems.patches import PatchSet
from i2s_metrics.functional.ems.rules import Rules


def transport(a: PatchSet, b: PatchSet, position_scale: float, rules: Rules) -> float:
    """Return the exact optimal transport cost between the patches of two pictures.

    Both sides get the same weights, the elementwise maximum, normalised. Moving patch i of ``a``
    to patch j of ``b`` costs the inner transport of their pixels plus the distance of their positions
    times ``position_scale``.

    Args:
        a: Patches of the one picture.
        b: Patches of the other at the same positions.
        position_scale: Cost of a distance of one in position.
        rules: Say how far apart two positions are.
    """
    mass = common_mass(a, b)
    # The cost is a metric on (content, position), so equal mass at equal places may stay where
    # it is: a patch that both pictures share takes no part.
    moving = (a.grey != b.grey).any(axis=1)
    if not moving.any():
        return 0.0
    a, b, share = a.keep(moving), b.keep(moving), mass[moving].sum() / mass.sum()
    distance = position_scale * rules.position_distances(a.position, b.position)
    (contents_a, index_a), (contents_b, index_b) = contents_of(a), contents_of(b)
    cost, _ = lazy_transport(
        mass[moving],
        distance,
        lower_bounds(contents_a, contents_b),
        contents_a,
        index_a,
        contents_b,
        index_b,
    )
    return float(share * cost)


def common_mass(a: PatchSet, b: PatchSet) -> IntArray:
    """Return masses in proportion to the weights of step 5: the elementwise maximum of both."""
    return np.maximum(a.mass * b.total, b.mass * a.total)


def without_shared_background(a: PatchSet, b: PatchSet) -> tuple[PatchSet, PatchSet]:
    """Return both without the patches that are background in both; all, if that leaves none."""
    kept = ~(a.blank & b.blank)
    return (a.keep(kept), b.keep(kept)) if kept.any() else (a, b)
