"""Moving the pixels of a patch: against other solvers, and the bounds against it."""

import cv2
import numpy as np
import ot
import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_metrics.functional.compiled import compiled
from i2s_metrics.functional.ems.bounds import dual_bound, lower_bounds, marginal_potential, smoothed_potential
from i2s_metrics.functional.ems.inner import LEVELS, Contents, contents_of, problem, transport_costs
from i2s_metrics.functional.ems.patches import PatchSet
from i2s_metrics.functional.ems.rules import HELM, PAPER

WHITE = (255, 255, 255)
ROW, COLUMN = np.divmod(np.arange(64), 8)
AWAY = (np.abs(ROW[:, None] - ROW) + np.abs(COLUMN[:, None] - COLUMN)) / 8


def contents(seed, count=6, ink=0.4, rules=HELM):
    """Different patches, some of ink on white, some of noise."""
    rng = np.random.default_rng(seed)
    picture = np.full((8, 8 * count, 3), 255, np.uint8)
    dark = rng.random(picture.shape[:2]) < ink
    picture[dark] = rng.integers(0, 256, (int(dark.sum()), 3))
    return contents_of(PatchSet.of(picture, WHITE, rules))[0]


def made_of(grey, mass):
    level = np.rint(np.array(grey) * LEVELS).astype(np.int64)
    return Contents(level, np.array(mass, np.int64), np.argsort(level, axis=1))


def weights(content):
    return content.mass / content.mass.sum(axis=1, keepdims=True)


def all_pairs(a, b):
    return np.argwhere(np.ones((len(a.level), len(b.level)), bool))


def full_cost(a, i, b, j):
    grey_a, grey_b = a.level[i] / LEVELS, b.level[j] / LEVELS
    return ot.emd2(weights(a)[i], weights(b)[j], np.abs(grey_a[:, None] - grey_b) + AWAY)


def points(content, index):
    grey = content.level[index] / LEVELS
    return np.stack([weights(content)[index], grey, COLUMN / 8, ROW / 8], axis=1).astype(np.float32)


seeds = st.integers(0, 2**32)
ink = st.sampled_from([0.0, 0.02, 0.1, 0.5, 1.0])
rules = st.sampled_from([HELM, PAPER])


@given(seeds, seeds, ink, ink, rules)
@pytest.mark.slow
def test_costs_equal_those_of_the_full_problem(seed_a, seed_b, ink_a, ink_b, rules):
    a, b = contents(seed_a, ink=ink_a, rules=rules), contents(seed_b, ink=ink_b, rules=rules)
    pairs = all_pairs(a, b)
    for (i, j), cost in zip(pairs, transport_costs(a, b, pairs), strict=True):
        assert cost == pytest.approx(full_cost(a, i, b, j), abs=1e-9)


def test_costs_equal_those_of_opencv_in_its_precision():
    a, b = contents(1), contents(2)
    pairs = all_pairs(a, b)
    for (i, j), cost in zip(pairs, transport_costs(a, b, pairs), strict=True):
        assert cost == pytest.approx(cv2.EMD(points(a, i), points(b, j), cv2.DIST_L1)[0], abs=5e-5)


@given(seeds, ink, ink, rules)
def test_costs_are_symmetric(seed, ink_a, ink_b, rules):
    a, b = contents(seed, ink=ink_a, rules=rules), contents(seed + 1, ink=ink_b, rules=rules)
    pairs = all_pairs(a, b)
    there, back = transport_costs(a, b, pairs), transport_costs(b, a, pairs[:, ::-1])
    assert there == pytest.approx(back, abs=1e-12)


@given(seeds, seeds, ink, ink)
def test_bounds_never_exceed_the_costs(seed_a, seed_b, ink_a, ink_b):
    a, b = contents(seed_a, ink=ink_a, rules=PAPER), contents(seed_b, ink=ink_b, rules=PAPER)
    pairs = all_pairs(a, b)
    bounds = lower_bounds(a, b)[tuple(pairs.T)]
    assert (bounds <= transport_costs(a, b, pairs) + 1e-12).all()


@compiled
def marginal_bound(a, i, b, j):
    given = problem(a, i, b, j)
    return dual_bound(given, marginal_potential(given))


@compiled
def smoothed_bound(a, i, b, j):
    given = problem(a, i, b, j)
    return dual_bound(given, smoothed_potential(given))


@compiled
def bound_of(a, i, b, j, potential):
    return dual_bound(problem(a, i, b, j), potential)


@given(seeds, ink, ink, rules)
@pytest.mark.slow
def test_bounds_of_one_pair_lie_between_the_bounds_of_all_pairs_and_the_cost(seed, ink_a, ink_b, rules):
    a, b = contents(seed, ink=ink_a, rules=rules), contents(seed + 1, ink=ink_b, rules=rules)
    pairs = all_pairs(a, b)
    least, costs = lower_bounds(a, b), transport_costs(a, b, pairs)
    for (i, j), cost in zip(pairs, costs, strict=True):
        assert least[i, j] - 1e-9 <= marginal_bound(a, i, b, j) <= cost + 1e-9
        assert smoothed_bound(a, i, b, j) <= cost + 1e-9


@given(seeds, ink, st.floats(0, 10))
@pytest.mark.slow
def test_any_potentials_give_a_bound(seed, ink, scale):
    a, b = contents(seed, ink=ink), contents(seed + 1, ink=1.0)
    rng = np.random.default_rng(seed)
    for i, j in all_pairs(a, b):
        sinks = problem(a, i, b, j).cost.shape[1]
        potential = (rng.normal(size=sinks) * scale * LEVELS).astype(np.int64) << 8
        assert bound_of(a, i, b, j, potential) <= transport_costs(a, b, np.array([[i, j]]))[0] + 1e-9


def test_smoothing_comes_close_to_the_cost():
    a, b = contents(1, ink=1.0), contents(2, ink=1.0)
    pairs = all_pairs(a, b)
    bounds = [smoothed_bound(a, i, b, j) for i, j in pairs]
    assert np.mean(bounds / transport_costs(a, b, pairs)) > 0.75


def test_bound_is_the_cost_where_only_the_grey_of_plain_patches_differs():
    greys = made_of([np.full(64, 0.2), np.full(64, 0.7)], np.ones((2, 64)))
    assert lower_bounds(greys, greys) == pytest.approx(np.array([[0, 0.5], [0.5, 0]]))
    assert transport_costs(greys, greys, np.array([[0, 1]])) == pytest.approx(0.5)


def test_equal_patches_cost_nothing():
    a = contents(3)
    diagonal = np.repeat(np.arange(len(a.level))[:, None], 2, axis=1)
    assert (transport_costs(a, a, diagonal) == 0).all()


def test_moving_everything_by_one_pixel_costs_an_eighth():
    grey = np.full((2, 64), 1.0)
    grey[0, :56:8] = 0.0  # the first column
    grey[1, 1:57:8] = 0.0  # the second
    both = made_of(grey, np.where(grey == 0, 10**9, 1))
    assert transport_costs(both, both, np.array([[0, 1]])) == pytest.approx(1 / 8)


def test_equal_patches_are_merged():
    picture = np.full((8, 32, 3), 255, np.uint8)
    picture[:, 8:16] = 0
    merged, index = contents_of(PatchSet.of(picture, WHITE, PAPER))
    assert len(merged.level) == 2
    assert index.tolist() == [0, 1, 0, 0]
