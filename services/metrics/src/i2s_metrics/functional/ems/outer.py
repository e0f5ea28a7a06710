"""Steps 5 to 7 of Earth Mover Similarity: moving the patches of one image to another's.

Inner costs are computed where the plan needs them. docs/decisions/0014 has the proof.
"""

from __future__ import annotations

import numpy as np

from i2s_metrics.functional.arrays import BoolArray, FloatArray, IntArray
from i2s_metrics.functional.compiled import compiled
from i2s_metrics.functional.ems.bounds import dual_bound, lower_bounds, marginal_potential, smoothed_potential
from i2s_metrics.functional.ems.inner import Contents, contents_of, problem, solve
from i2s_metrics.functional.ems.patches import PatchSet
from i2s_metrics.functional.ems.rules import Rules
from i2s_metrics.functional.ems.simplex import (
    NONE,
    SHIFT,
    SpanningTree,
    improve,
    new_tree,
    root_of,
    set_potentials,
    start,
)

#: What is known of an inner cost, in order of price.
BOUNDED, BOUNDED_BETTER, BOUNDED_WELL, EXACT = range(4)
#: Steps of outer costs in one. Costs are rounded to them to find the plan, not to value it.
_STEPS = float(1 << 38)


@compiled
def lazy_transport(
    mass: IntArray,
    distance: FloatArray,
    inner: FloatArray,
    contents_a: Contents,
    index_a: IntArray,
    contents_b: Contents,
    index_b: IntArray,
) -> tuple[float, IntArray]:
    """Return the optimal transport cost of patches to patches, for all mass together being 1.

    Args:
        mass: Mass of the patches on either side, shape (n,), n at most 256.
        distance: What their positions add to the cost, shape (n, n).
        inner: Lower bounds of the costs between contents; better ones and costs take their places.
        contents_a: Contents of the patches of the one side.
        index_a: Index of the contents of each patch in ``contents_a``.
        contents_b: Contents of the patches of the other side.
        index_b: Index of the contents of each patch in ``contents_b``.

    Returns:
        The cost, and how many pairs of contents came to each degree of knowledge.
    """
    n = len(mass)
    known = np.full(inner.shape, BOUNDED)
    cost = np.empty((n, n), np.int64)
    for i in range(n):
        for j in range(n):
            cost[i, j] = _packed(inner[index_a[i], index_b[j]] + distance[i, j], j)
    tree = new_tree(2 * n)
    start(tree, cost, mass, mass.copy())
    settled = False
    while not settled:
        improve(tree, cost, n)
        settled = True
        for node in range(2 * n):
            if tree.parent[node] != NONE and tree.flow[node] > 0:
                i, j = _ends(tree, node, n)
                a, b = index_a[i], index_b[j]
                if known[a, b] < EXACT:
                    settled = False
                    known[a, b] += 1
                    inner[a, b] = _sharpened(inner[a, b], known[a, b], contents_a, a, contents_b, b)
                    _refresh(cost, inner[a, b], distance, index_a == a, index_b == b)
        if not settled:
            set_potentials(tree, root_of(tree, 0), cost, n)
    total = 0.0
    for node in range(2 * n):
        if tree.parent[node] != NONE and tree.flow[node] > 0:
            i, j = _ends(tree, node, n)
            total += tree.flow[node] * (inner[index_a[i], index_b[j]] + distance[i, j])
    return total / mass.sum(), np.bincount(known.ravel(), minlength=EXACT + 1)


@compiled
def _sharpened(bound: float, to: int, contents_a: Contents, a: int, contents_b: Contents, b: int) -> float:
    """Return a better lower bound of an inner cost, or the cost."""
    given = problem(contents_a, a, contents_b, b)
    if to == EXACT:
        return solve(given)
    if to == BOUNDED_WELL:
        return max(bound, dual_bound(given, smoothed_potential(given)))
    return max(bound, dual_bound(given, marginal_potential(given)))


@compiled
def _packed(cost: float, sink: int) -> int:
    return round(cost * _STEPS) << SHIFT | sink


@compiled
def _ends(tree: SpanningTree, node: int, sources: int) -> tuple[int, int]:
    above = tree.parent[node]
    return (node, above - sources) if node < sources else (above, node - sources)


@compiled
def _refresh(cost: IntArray, inner: float, distance: FloatArray, rows: BoolArray, columns: BoolArray) -> None:
    """Set the cost of all pairs of patches that have a pair of contents."""
    for i in np.flatnonzero(rows):
        for j in np.flatnonzero(columns):
            cost[i, j] = _packed(inner + distance[i, j], int(j))


def transport(a: PatchSet, b: PatchSet, position_scale: float, rules: Rules) -> float:
    """Return the exact optimal transport cost between the patches of two images.

    Both sides get the same weights, the elementwise maximum, normalised. Moving patch i of ``a``
    to patch j of ``b`` costs the inner transport of their pixels plus the distance of their positions
    times ``position_scale``.

    Args:
        a: Patches of the one image.
        b: Patches of the other at the same positions.
        position_scale: Cost of a distance of one in position.
        rules: Say how far apart two positions are.
    """
    mass = common_mass(a, b)
    # The cost is a metric on (content, position), so equal mass at equal places may stay where
    # it is: a patch that both images share takes no part.
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
