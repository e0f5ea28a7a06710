"""Lower bounds of inner transport costs: of all pairs of contents at once, and better ones of single pairs.

Potentials p of the sources and q of the sinks with p - q <= cost bound every plan from below, by
sum(supply * p) - sum(demand * q). Here are two quick ways to potentials that bound well.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist

from i2s_metrics.functional.arrays import FloatArray, IntArray
from i2s_metrics.functional.compiled import compiled, compiled_in_any_order
from i2s_metrics.functional.ems.inner import LEVELS, STEP, Contents, Problem
from i2s_metrics.functional.ems.patches import PATCH
from i2s_metrics.functional.ems.simplex import SHIFT, least

#: Parts of the grey scale. Bounds of grey values that are multiples of 1/255 are then tight.
_BINS = 255


def lower_bounds(a: Contents, b: Contents) -> FloatArray:
    """Return a lower bound of the transport cost for every pair, shape (contents a, contents b).

    The ground distance is the sum of the distances in grey, column and row. A plan moves each of
    the three marginals too, so it costs at least the sum of their three one-dimensional optimal
    transports. Each of these is the area between two cumulative distributions, and the sum
    over intervals of the area's absolute value without its sign changes is at most that. So the
    bound is the L1 distance of vectors that belong to one content each.
    """
    return np.asarray(cdist(_features(a), _features(b), "cityblock"), np.float64)


def _features(contents: Contents) -> FloatArray:
    weight = contents.mass / contents.mass.sum(axis=1, keepdims=True)
    pixels = weight.reshape(-1, PATCH, PATCH)
    rows = np.cumsum(pixels.sum(axis=2), axis=1)[:, :-1] / PATCH
    columns = np.cumsum(pixels.sum(axis=1), axis=1)[:, :-1] / PATCH
    return np.concatenate([rows, columns, _grey_areas(contents, weight)], axis=1)


def _grey_areas(contents: Contents, weight: FloatArray) -> FloatArray:
    """Return the integral of each content's cumulative distribution of grey over each bin."""
    scaled = contents.level * (_BINS / LEVELS)
    low = np.minimum(scaled.astype(np.int64), _BINS - 1)
    within = low + 1 - scaled  # share of its bin that lies above the value
    count = len(scaled)
    cell = low + _BINS * np.arange(count)[:, None]
    partial = np.bincount(cell.ravel(), (weight * within).ravel(), count * _BINS)
    below = np.bincount(cell.ravel(), weight.ravel(), count * _BINS).reshape(count, _BINS)
    before = np.cumsum(below, axis=1) - below
    areas: FloatArray = (partial.reshape(count, _BINS) + before) / _BINS
    return areas


#: Width of the smoothing as a cost, and iterations: wider is quicker to settle, narrower is tighter.
_WIDTH = 0.03
_ITERATIONS = 10


@compiled
def dual_bound(given: Problem, potential: IntArray) -> float:
    """Return the lower bound that potentials of the sinks give, after making them as good as is easy.

    For given q the best p is min(cost + q), over sinks; for that p the best q is max(p - cost), over
    sources. Either can only gain, and whatever q was, the result is a bound.

    Args:
        given: What has to be moved.
        potential: Potentials of the sinks, in packed costs without sink.
    """
    sources, sinks = given.cost.shape
    slack = np.full(sinks, 1 << 62)
    total = 0.0
    for i in range(sources):
        best = least(given.cost, i, potential) >> SHIFT << SHIFT
        total += float(given.supply[i]) * float(best >> SHIFT)
        for j in range(sinks):
            slack[j] = min(slack[j], given.cost[i, j] - best)
    for j in range(sinks):
        total += float(given.demand[j]) * float(slack[j] >> SHIFT)
    return total / LEVELS / given.whole


@compiled
def marginal_potential(given: Problem) -> IntArray:
    """Return the sinks' potentials that solve the transports of grey, row and column, each for itself."""
    source, sink = given.source, given.sink
    sources, sinks = given.cost.shape
    potential = np.zeros(sinks, np.int64)
    place = level = surplus = height = 0
    for j in range(sinks):  # sources and sinks together, from dark to light
        while place < sources and given.source_level[place] <= given.sink_level[j]:
            height -= _sign(surplus) * (given.source_level[place] - level)
            level = given.source_level[place]
            surplus += given.supply[place]
            place += 1
        height -= _sign(surplus) * (given.sink_level[j] - level)
        level = given.sink_level[j]
        surplus -= given.demand[j]
        potential[j] = height
    rows = _grid_potential(given, source // PATCH, sink // PATCH)
    columns = _grid_potential(given, source % PATCH, sink % PATCH)
    return (potential + rows + columns) << SHIFT


@compiled
def _grid_potential(given: Problem, source: IntArray, sink: IntArray) -> IntArray:
    """Return the potentials of the sinks for the transport along one side of the patch."""
    surplus = np.zeros(PATCH, np.int64)
    for i in range(len(source)):
        surplus[source[i]] += given.supply[i]
    for j in range(len(sink)):
        surplus[sink[j]] -= given.demand[j]
    height = np.zeros(PATCH, np.int64)
    before = 0
    for place in range(PATCH - 1):
        before += surplus[place]
        height[place + 1] = height[place] - _sign(before) * STEP
    return height[sink]


@compiled
def _sign(number: int) -> int:
    return int(number > 0) - int(number < 0)


@compiled
def smoothed_potential(given: Problem) -> IntArray:
    """Return the sinks' potentials after some iterations of Sinkhorn's algorithm (Cuturi 2013)."""
    sources, sinks = given.cost.shape
    kernel = _smoothing_kernel(given)
    left, right, reached = np.empty(sources), np.ones(sinks), np.empty(sinks)
    for _ in range(_ITERATIONS):
        reached[:] = 0.0
        for i in range(sources):
            left[i] = given.supply[i] / _dot(kernel[i], right)
            for j in range(sinks):
                reached[j] += left[i] * kernel[i, j]
        for j in range(sinks):
            right[j] = given.demand[j] / reached[j]
    potential = np.empty(sinks, np.int64)
    for j in range(sinks):
        potential[j] = -int(np.log(right[j]) * (_WIDTH * LEVELS)) << SHIFT
    return potential


@compiled
def _smoothing_kernel(given: Problem) -> FloatArray:
    """Return exp(-cost / width), with few exponentials, since the cost is a sum."""
    sources, sinks = given.cost.shape
    near = np.exp(np.arange(2 * PATCH) / (-PATCH * _WIDTH))
    up, down = np.exp(given.source_level / (_WIDTH * LEVELS)), np.exp(given.sink_level / (_WIDTH * LEVELS))
    row, column = given.sink // PATCH, given.sink % PATCH
    kernel = np.empty((sources, sinks))
    for i in range(sources):
        above, left = given.source[i] // PATCH, given.source[i] % PATCH
        for j in range(sinks):
            steps = abs(above - row[j]) + abs(left - column[j])
            kernel[i, j] = near[steps] * min(up[i] / down[j], down[j] / up[i])
    return kernel


@compiled_in_any_order
def _dot(a: FloatArray, b: FloatArray) -> float:
    total = 0.0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total
