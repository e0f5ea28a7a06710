"""Step 6 of Earth Mover Similarity, its first half: moving the pixels of one patch to another's.

``transport_costs`` is all that the rest knows of; a faster solver takes its place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from i2s_metrics.functional.arrays import FloatArray, IntArray
from i2s_metrics.functional.ems.network import solve
from i2s_metrics.functional.ems.patches import PIXELS, PatchSet
from i2s_metrics.functional.ems.resample import PATCH


def _grid_distances() -> FloatArray:
    row, column = np.divmod(np.arange(PIXELS), PATCH)
    away = np.abs(row[:, None] - row) + np.abs(column[:, None] - column)
    distances: FloatArray = away / PATCH
    return distances


#: L1 distance of the pixels of a patch, in sides of the patch, shape (64, 64).
GRID = _grid_distances()


@dataclass(frozen=True, slots=True)
class Contents:
    """The different contents of patches, as distributions over points (grey, column, row).

    Attributes:
        grey: Shape (contents, 64).
        weight: Shape (contents, 64); each row has sum 1.
    """

    grey: FloatArray
    weight: FloatArray

    @classmethod
    def of(cls, patches: PatchSet) -> tuple[Self, IntArray]:
        """Merge equal patches; return the contents and which of them each patch has."""
        # Background follows from grey, so equal greys are equal distributions.
        seen: dict[bytes, int] = {}
        index = np.array([seen.setdefault(grey.tobytes(), len(seen)) for grey in patches.grey], np.int64)
        _, first = np.unique(index, return_index=True)
        return cls(patches.grey[first], patches.pixel_weight[first]), index


def transport_costs(a: Contents, b: Contents, pairs: IntArray) -> FloatArray:
    """Return the exact cost of turning contents of ``a`` into contents of ``b``.

    Args:
        a: Contents of the one picture.
        b: Contents of the other.
        pairs: Which to compare, shape (n, 2): index in ``a``, index in ``b``.

    Returns:
        Optimal transport costs, shape (n,): ground distance L1 between (grey, column/8, row/8).
    """
    return np.array([_cost(a.grey[i], a.weight[i], b.grey[j], b.weight[j]) for i, j in pairs], np.float64)


def _cost(grey_a: FloatArray, weight_a: FloatArray, grey_b: FloatArray, weight_b: FloatArray) -> float:
    # The ground distance is a metric, so mass that both have at the same point may stay there:
    # only what one has more of has to move.
    staying = np.where(grey_a == grey_b, np.minimum(weight_a, weight_b), 0.0)
    surplus, demand = weight_a - staying, weight_b - staying
    source, sink = np.flatnonzero(surplus), np.flatnonzero(demand)
    if not (source.size and sink.size):
        return 0.0
    costs = np.abs(grey_a[source, None] - grey_b[sink]) + GRID[np.ix_(source, sink)]
    return solve(surplus[source], demand[sink], costs).cost
