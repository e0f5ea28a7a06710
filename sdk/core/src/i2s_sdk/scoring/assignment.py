"""The best assignment of the rows of a matrix to its columns.

SciPy has this (``linear_sum_assignment``), but is not a dependency of the SDK, and is far larger than
everything else that scoring a document needs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def best_assignment(values: NDArray[np.float64]) -> list[tuple[int, int]]:
    """Return pairs of row and column, each used at most once, whose values have the greatest sum.

    As many pairs are made as the shorter side of the matrix has. The method is the Hungarian one with
    shortest augmenting paths, in time of rows² × columns for a matrix of fewer rows than columns.

    Args:
        values: Matrix of finite numbers, of shape (rows, columns).
    """
    if values.shape[0] > values.shape[1]:
        return sorted((row, column) for column, row in best_assignment(values.T))
    rows, columns = values.shape
    costs = -values
    row_price, column_price = np.zeros(rows), np.zeros(columns)
    row_of = np.full(columns, -1)
    for row in range(rows):
        distance = np.full(columns, np.inf)
        before = np.full(columns, -1)
        open_columns = np.ones(columns, dtype=bool)
        current_row, current, shortest = row, -1, 0.0
        while current_row >= 0:
            offered = shortest + costs[current_row] - row_price[current_row] - column_price
            nearer = open_columns & (offered < distance)
            distance[nearer] = offered[nearer]
            before[nearer] = current
            current = int(np.argmin(np.where(open_columns, distance, np.inf)))
            shortest = float(distance[current])
            open_columns[current] = False
            current_row = int(row_of[current])
        closed = np.flatnonzero(~open_columns)
        passed = closed[row_of[closed] >= 0]
        row_price[row] += shortest
        row_price[row_of[passed]] += shortest - distance[passed]
        column_price[closed] -= shortest - distance[closed]
        while current >= 0:
            previous = int(before[current])
            row_of[current] = row if previous < 0 else row_of[previous]
            current = previous
    return sorted((int(row_of[column]), int(column)) for column in np.flatnonzero(row_of >= 0))
