"""Moving the pixels of a patch: against other solvers, and the bounds against it."""

import cv2
import numpy as np
import ot
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from i2s_metrics.functional.ems.bounds import lower_bounds
from i2s_metrics.functional.ems.inner import GRID, Contents, transport_costs
from i2s_metrics.functional.ems.patches import PatchSet
from i2s_metrics.functional.ems.rules import HELM, PAPER

WHITE = (255, 255, 255)


def contents(seed, count=6, ink=0.4, rules=HELM):
    """Different patches, some of ink on white, some of noise."""
    rng = np.random.default_rng(seed)
    picture = np.full((8, 8 * count, 3), 255, np.uint8)
    dark = rng.random(picture.shape[:2]) < ink
    picture[dark] = rng.integers(0, 256, (int(dark.sum()), 3))
    return Contents.of(PatchSet.of(picture, WHITE, rules))[0]


def all_pairs(a, b):
    return np.argwhere(np.ones((len(a.grey), len(b.grey)), bool))


def points(content, index):
    row, column = np.divmod(np.arange(64), 8)
    return np.stack([content.weight[index], content.grey[index], column / 8, row / 8], axis=1)


seeds = st.integers(0, 2**32)
ink = st.sampled_from([0.0, 0.1, 0.5, 1.0])


@settings(max_examples=30, deadline=None)
@given(seeds, seeds, ink, ink)
def test_costs_equal_those_of_the_full_problem(seed_a, seed_b, ink_a, ink_b):
    a, b = contents(seed_a, ink=ink_a), contents(seed_b, ink=ink_b)
    pairs = all_pairs(a, b)
    for (i, j), cost in zip(pairs, transport_costs(a, b, pairs), strict=True):
        costs = np.abs(a.grey[i][:, None] - b.grey[j]) + GRID
        assert cost == pytest.approx(ot.emd2(a.weight[i], b.weight[j], costs), abs=1e-9)


def test_costs_equal_those_of_opencv_in_its_precision():
    a, b = contents(1), contents(2)
    pairs = all_pairs(a, b)
    for (i, j), cost in zip(pairs, transport_costs(a, b, pairs), strict=True):
        signatures = (points(a, i).astype(np.float32), points(b, j).astype(np.float32))
        assert cost == pytest.approx(cv2.EMD(*signatures, cv2.DIST_L1)[0], abs=5e-5)


@settings(max_examples=30, deadline=None)
@given(seeds, seeds, ink, ink)
def test_bounds_never_exceed_the_costs(seed_a, seed_b, ink_a, ink_b):
    a, b = contents(seed_a, ink=ink_a, rules=PAPER), contents(seed_b, ink=ink_b, rules=PAPER)
    pairs = all_pairs(a, b)
    bounds = lower_bounds(a, b)[tuple(pairs.T)]
    assert (bounds <= transport_costs(a, b, pairs) + 1e-12).all()


def test_bound_is_the_cost_where_only_the_grey_of_plain_patches_differs():
    greys = Contents(np.array([np.full(64, 0.2), np.full(64, 0.7)]), np.full((2, 64), 1 / 64))
    assert lower_bounds(greys, greys) == pytest.approx(np.array([[0, 0.5], [0.5, 0]]))


def test_equal_patches_cost_nothing():
    a = contents(3)
    diagonal = np.repeat(np.arange(len(a.grey))[:, None], 2, axis=1)
    assert (transport_costs(a, a, diagonal) == 0).all()


def test_moving_everything_by_one_pixel_costs_an_eighth():
    grey = np.full((2, 64), 1.0)
    grey[0, :56:8] = 0.0  # the first column
    grey[1, 1:57:8] = 0.0  # the second
    weight = np.where(grey == 0, 1.0, 1e-12)
    both = Contents(grey, weight / weight.sum(axis=1, keepdims=True))
    assert transport_costs(both, both, np.array([[0, 1]])) == pytest.approx(1 / 8)


def test_equal_patches_are_merged():
    picture = np.full((8, 32, 3), 255, np.uint8)
    picture[:, 8:16] = 0
    merged, index = Contents.of(PatchSet.of(picture, WHITE, PAPER))
    assert len(merged.grey) == 2
    assert index.tolist() == [0, 1, 0, 0]
