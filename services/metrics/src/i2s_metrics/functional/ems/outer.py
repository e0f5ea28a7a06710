"""Steps 5 to 7 of Earth Mover Similarity: moving the patches of one picture to another's.

Why the lazy scheme is exact. Let C be the true costs and L any matrix with L <= C. If a plan is
optimal for L and L equals C wherever that plan moves mass, then its cost under C is its cost
under L, which is the least under L, which is at most the least under C. So it is optimal for C.
Starting from lower bounds, each round solves for L and replaces the entries that the plan uses
by true costs; with finitely many entries this ends, mostly after a few per cent of them.
"""

from __future__ import annotations

import numpy as np

from i2s_metrics.functional.arrays import BoolArray, FloatArray
from i2s_metrics.functional.ems.bounds import lower_bounds
from i2s_metrics.functional.ems.inner import Contents, transport_costs
from i2s_metrics.functional.ems.network import solve
from i2s_metrics.functional.ems.patches import PatchSet


def transport(a: PatchSet, b: PatchSet, position_scale: float) -> float:
    """Return the exact optimal transport cost between the patches of two pictures.

    Both sides get the same weights, the elementwise maximum, normalised. Moving patch i of ``a``
    to patch j of ``b`` costs the inner transport of their pixels plus the L1 distance of their
    positions times ``position_scale``.

    Args:
        a: Patches of the one picture.
        b: Patches of the other at the same positions.
        position_scale: Cost of a distance of one in position.

    Raises:
        SolverError: A transport problem could not be solved.
    """
    weight = common_weight(a, b)
    # The cost is a metric on (content, position), so equal mass at equal places may stay where
    # it is: a patch that both pictures share takes no part.
    moving = (a.grey != b.grey).any(axis=1)
    if not moving.any():
        return 0.0
    a, b, weight = a.keep(moving), b.keep(moving), weight[moving]
    distances = position_scale * np.abs(a.position[:, None] - b.position).sum(axis=2)
    return _lazy_transport(a, b, weight, distances)


def common_weight(a: PatchSet, b: PatchSet) -> FloatArray:
    """Return the weights of step 5: the elementwise maximum of both, normalised."""
    greater = np.maximum(a.weight, b.weight)
    weight: FloatArray = greater / greater.sum()
    return weight


def without_shared_background(a: PatchSet, b: PatchSet) -> tuple[PatchSet, PatchSet]:
    """Return both without the patches that are background in both; all, if that leaves none."""
    kept = ~(a.blank & b.blank)
    return (a.keep(kept), b.keep(kept)) if kept.any() else (a, b)


def _lazy_transport(a: PatchSet, b: PatchSet, weight: FloatArray, distances: FloatArray) -> float:
    (contents_a, index_a), (contents_b, index_b) = Contents.of(a), Contents.of(b)
    inner = lower_bounds(contents_a, contents_b)
    exact: BoolArray = np.zeros(inner.shape, bool)
    cells = np.ix_(index_a, index_b)
    while True:
        plan = solve(weight, weight, inner[cells] + distances)
        used = np.zeros(inner.shape, bool)
        i, j = np.nonzero(plan.flow)
        used[index_a[i], index_b[j]] = True
        missing = np.argwhere(used & ~exact)
        if not len(missing):
            return plan.cost
        inner[tuple(missing.T)] = transport_costs(contents_a, contents_b, missing)
        exact |= used
