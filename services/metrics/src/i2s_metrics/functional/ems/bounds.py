"""Lower bounds of the inner transport costs, for all pairs of contents at once."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist

from i2s_metrics.functional.arrays import FloatArray
from i2s_metrics.functional.ems.inner import LEVELS, Contents
from i2s_metrics.functional.ems.resample import PATCH

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
