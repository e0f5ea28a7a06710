"""Exact optimal transport between two finite distributions: the network simplex of POT."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from ot.lp.emd_wrap import emd_c

from i2s_metrics.functional.arrays import FloatArray

_OPTIMAL = 1
#: Pivots before the solver gives up; problems here need a few thousand at most.
_MOST_PIVOTS = 10_000_000


class SolverError(RuntimeError):
    """The transport solver did not reach the optimum."""


@dataclass(frozen=True, slots=True)
class Plan:
    """An optimal plan, and what it costs.

    Attributes:
        flow: Share of all mass that each source sends to each sink, shape (sources, sinks).
        cost: Of moving all mass.
    """

    flow: FloatArray
    cost: float


def solve(source: FloatArray, sink: FloatArray, costs: FloatArray) -> Plan:
    """Return an optimal plan that moves ``source`` to ``sink``.

    Args:
        source: Positive masses, shape (m,), m > 0.
        sink: Positive masses, shape (n,), n > 0, of the same sum but for rounding.
        costs: Of moving one unit, shape (m, n).

    Raises:
        SolverError: The solver stopped before the optimum.
    """
    mass = source.sum()
    # Shares instead of masses: the solver's tolerances are absolute.
    flow, cost, _, _, status = emd_c(
        source / mass, sink / sink.sum(), np.ascontiguousarray(costs), _MOST_PIVOTS, 1
    )
    if status != _OPTIMAL:
        raise SolverError(f"optimal transport of {len(source)} to {len(sink)} masses ended as {status}")
    return Plan(flow, float(cost * mass))
