"""Step 6 of Earth Mover Similarity, its first half: moving the pixels of one patch to another's."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from i2s_metrics.functional.arrays import FloatArray, IntArray
from i2s_metrics.functional.compiled import compiled
from i2s_metrics.functional.ems.patches import PATCH, PIXELS, PatchSet
from i2s_metrics.functional.ems.simplex import SHIFT, improve, new_tree, plan_cost, start

#: Levels between black and white. Grey is a multiple of 1/255000 in the rules that are exact, and
#: a float32 in the others, which is rounded here by less than 1e-10; so is a step of 1/8.
LEVELS = 255_000 << 16
STEP = LEVELS // PATCH


class Contents(NamedTuple):
    """The different contents of patches, as distributions over points (grey, column, row)."""

    #: Grey in ``LEVELS`` steps, shape (contents, 64).
    level: IntArray
    #: Positive, shape (contents, 64); the weight of a pixel is its share of the row.
    mass: IntArray
    #: The pixels of each from dark to light, shape (contents, 64).
    order: IntArray


def contents_of(patches: PatchSet) -> tuple[Contents, IntArray]:
    """Merge equal patches; return the contents and which of them each patch has."""
    # Background follows from grey, so equal greys are equal distributions.
    seen: dict[bytes, int] = {}
    index = np.array([seen.setdefault(grey.tobytes(), len(seen)) for grey in patches.grey], np.int64)
    _, first = np.unique(index, return_index=True)
    level = np.rint(patches.grey[first] * LEVELS).astype(np.int64)
    return Contents(level, patches.pixel_mass[first], np.argsort(level, axis=1, kind="stable")), index


class Problem(NamedTuple):
    """A transport problem between two contents, without what both have in common."""

    #: Packed, shape (sources, sinks).
    cost: IntArray
    #: Positive masses of the sources, from dark to light.
    supply: IntArray
    #: Positive masses of the sinks, from dark to light, of the same sum.
    demand: IntArray
    #: Pixel of each source.
    source: IntArray
    #: Pixel of each sink.
    sink: IntArray
    #: Its grey.
    source_level: IntArray
    #: Its grey.
    sink_level: IntArray
    #: What all mass of a content amounts to here.
    whole: float


def transport_costs(a: Contents, b: Contents, pairs: IntArray) -> FloatArray:
    """Return the exact cost of turning contents of ``a`` into contents of ``b``.

    Args:
        a: Contents of the one image.
        b: Contents of the other.
        pairs: The pairs to compare, shape (n, 2): index in ``a``, index in ``b``.

    Returns:
        Optimal transport costs, shape (n,): ground distance L1 between (grey, column/8, row/8).
    """
    return _transport_costs(a, b, np.ascontiguousarray(pairs))


@compiled
def _transport_costs(a: Contents, b: Contents, pairs: IntArray) -> FloatArray:
    costs = np.empty(len(pairs))
    for k in range(len(pairs)):
        costs[k] = solve(problem(a, pairs[k, 0], b, pairs[k, 1]))
    return costs


@compiled
def solve(given: Problem) -> float:
    """Return the exact optimum."""
    sources, sinks = given.cost.shape
    if sources == 0:
        return 0.0
    tree = new_tree(sources + sinks)
    start(tree, given.cost, given.supply, given.demand.copy())
    improve(tree, given.cost, sources)
    return plan_cost(tree, given.cost, sources) / LEVELS / given.whole


@compiled
def problem(a: Contents, i: int, b: Contents, j: int) -> Problem:
    """Return what has to be moved to turn content i of ``a`` into content j of ``b``."""
    # The ground distance is a metric, so mass that both have at the same point may stay there:
    # only what one has more of has to move. Shares become whole numbers over the same whole.
    level_a, level_b = a.level[i], b.level[j]
    whole_a, whole_b = a.mass[i].sum(), b.mass[j].sum()
    gives, takes = a.mass[i] * whole_b, b.mass[j] * whole_a
    for pixel in range(PIXELS):
        if level_a[pixel] == level_b[pixel]:
            staying = min(gives[pixel], takes[pixel])
            gives[pixel] -= staying
            takes[pixel] -= staying
    source = a.order[i][gives[a.order[i]] > 0]
    sink = b.order[j][takes[b.order[j]] > 0]
    source_level, sink_level = level_a[source], level_b[sink]
    row, column = sink // PATCH, sink % PATCH
    cost = np.empty((len(source), len(sink)), np.int64)
    for s in range(len(source)):
        above, left, level = source[s] // PATCH, source[s] % PATCH, source_level[s]
        for t in range(len(sink)):
            steps = abs(above - row[t]) + abs(left - column[t])
            cost[s, t] = (abs(level - sink_level[t]) + steps * STEP) << SHIFT | t
    whole = float(whole_a) * float(whole_b)
    return Problem(cost, gives[source], takes[sink], source, sink, source_level, sink_level, whole)
