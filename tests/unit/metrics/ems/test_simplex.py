"""The transport simplex against another solver, with all the ties that whole numbers give."""

import numpy as np
import ot
import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_metrics.functional.compiled import compiled
from i2s_metrics.functional.ems.simplex import NONE, SHIFT, improve, new_tree, plan_cost, start


@compiled
def solved(cost, supply, demand):
    tree = new_tree(len(supply) + len(demand))
    start(tree, cost, supply, demand.copy())
    improve(tree, cost, len(supply))
    return tree, plan_cost(tree, cost, len(supply))


def packed(cost):
    return np.ascontiguousarray(cost.astype(np.int64) << SHIFT | np.arange(cost.shape[1]))


def equal_sums(supply, demand):
    return supply * demand.sum(), demand * supply.sum()


@st.composite
def problems(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    shape = draw(st.integers(1, 24)), draw(st.integers(1, 24))
    cost = rng.integers(0, draw(st.sampled_from([1, 2, 4, 1000, 2**40])), shape)
    mass = draw(st.sampled_from([2, 3, 1001]))
    return cost, *equal_sums(*(rng.integers(1, mass, side) for side in shape))


@given(problems())
@pytest.mark.slow
def test_it_finds_the_optimum(problem):
    cost, supply, demand = problem
    _, found = solved(packed(cost), supply, demand)
    expected = ot.emd2(supply / supply.sum(), demand / demand.sum(), cost / cost.max()) if cost.any() else 0
    assert found / supply.sum() / max(1, cost.max()) == pytest.approx(expected, abs=1e-12)


@given(problems())
def test_the_plan_moves_all_mass_and_has_potentials_that_prove_it_optimal(problem):
    cost, supply, demand = problem
    sources = len(supply)
    tree, _ = solved(packed(cost), supply, demand)
    flow = np.zeros(cost.shape, np.int64)
    for node, above in enumerate(tree.parent):
        if above != NONE:
            ends = (node, above - sources) if node < sources else (above, node - sources)
            flow[ends] = tree.flow[node]
    assert (flow >= 0).all()
    assert flow.sum(axis=1).tolist() == supply.tolist()
    assert flow.sum(axis=0).tolist() == demand.tolist()
    potential = tree.potential >> SHIFT
    reduced = cost - potential[:sources, None] + potential[sources:]
    assert (reduced >= 0).all()
    assert (reduced[flow > 0] == 0).all()


def test_it_ends_where_everything_is_tied():
    ones = np.ones(200, np.int64)
    cost = np.abs(np.arange(200)[:, None] // 20 - np.arange(200) // 20)
    _, found = solved(packed(cost), ones, ones)
    assert found == 0
    _, found = solved(packed(cost[::-1] * 0 + 7), ones, ones)
    assert found == 1400
