"""The value is that of the definition, whatever the images."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_metrics.functional.colours import _count_upper
from i2s_metrics.functional.ems import HELM, PAPER, Reference, earth_mover_similarity
from i2s_metrics.functional.ems.bounds import lower_bounds
from i2s_metrics.functional.ems.inner import _transport_costs, contents_of
from i2s_metrics.functional.ems.outer import EXACT, common_mass, lazy_transport
from i2s_metrics.functional.ems.patches import PatchSet
from i2s_metrics.functional.ems.similarity import position_scale
from kinds_of_pictures import (
    checkers,
    few_greys,
    gradient,
    half_level_away,
    nearly_plain,
    noise,
    plain,
    text,
    tiles,
)

pytestmark = pytest.mark.slow

RULES = {"paper": PAPER, "helm": HELM}
BACKGROUNDS = [(255, 255, 255), (0, 0, 0), (245, 245, 245), (13, 17, 23), (30, 136, 229), (127, 127, 127)]
TOLERANCE = 1e-6


KINDS = [noise, text, plain, nearly_plain, gradient, checkers, tiles, half_level_away, few_greys]


def itself(rng, picture):
    return picture


def shifted(rng, picture):
    return np.roll(picture, int(rng.integers(1, 9)), axis=int(rng.integers(0, 2)))


def mirrored(rng, picture):
    return np.ascontiguousarray(picture[:, ::-1])


def inverted(rng, picture):
    return 255 - picture


def touched(rng, picture):
    changed = picture.copy()
    changed[rng.integers(len(picture)), rng.integers(picture.shape[1])] = rng.integers(0, 256, 3)
    return changed


CHANGES = [itself, shifted, mirrored, inverted, touched]


SHAPES = [(1, 1), (1, 40), (40, 1), (8, 8), (9, 8), (1, 120), (7, 65), (33, 33)]


@st.composite
def pairs(draw, most=33):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    sides = st.integers(1, most)
    height, width = draw(st.one_of(st.tuples(sides, sides), st.sampled_from(SHAPES)))
    colour = draw(st.sampled_from(BACKGROUNDS))
    reference = draw(st.sampled_from(KINDS))(rng, height, width, colour)
    if draw(st.booleans()):
        return draw(st.sampled_from(CHANGES))(rng, reference), reference
    other = draw(st.sampled_from([colour, *BACKGROUNDS]))
    return draw(st.sampled_from(KINDS))(rng, height, width, other), reference


@pytest.mark.parametrize("profile", RULES)
@given(pair=pairs())
def test_lazy_transport_equals_the_plain_definition(naive, profile, pair):
    prediction, reference = pair
    result = earth_mover_similarity(prediction, reference, RULES[profile])
    block_emd, denominator = naive(prediction, reference, profile)
    assert result.block_emd == pytest.approx(block_emd, abs=TOLERANCE)
    assert result.denominator == pytest.approx(denominator, abs=TOLERANCE)


def test_few_pairs_of_patches_are_solved_for_text():
    rng = np.random.default_rng(0)
    white = (255, 255, 255)
    prediction, reference = text(rng, 80, 80, white), text(rng, 80, 80, white)
    background = Reference.of(reference, PAPER).background.rgb
    a, b = (PatchSet.of(picture, background, PAPER) for picture in (prediction, reference))
    (contents_a, index_a), (contents_b, index_b) = contents_of(a), contents_of(b)
    distance = position_scale((80, 80)) * PAPER.position_distances(a.position, b.position)
    bounds = lower_bounds(contents_a, contents_b)
    mass = common_mass(a, b)
    _, known = lazy_transport(mass, distance, bounds, contents_a, index_a, contents_b, index_b)
    assert known.sum() == len(contents_a.level) * len(contents_b.level)
    assert known[EXACT] < 0.15 * known.sum()


def test_bounds_that_say_nothing_lead_to_the_same_value():
    rng = np.random.default_rng(1)
    a, b = (PatchSet.of(noise(rng, 32, 40, None), (0, 0, 0), PAPER) for _ in range(2))
    (contents_a, index_a), (contents_b, index_b) = contents_of(a), contents_of(b)
    distance = np.abs(a.position[:, None] - b.position).sum(axis=2)
    values = [
        lazy_transport(common_mass(a, b), distance, bounds, contents_a, index_a, contents_b, index_b)[0]
        for bounds in (lower_bounds(contents_a, contents_b), np.zeros((20, 20)))
    ]
    assert values[0] == pytest.approx(values[1], abs=1e-9)


def test_pictures_of_any_layout_need_no_second_compilation():
    rng = np.random.default_rng(2)
    picture = noise(rng, 100, 120, None)
    turned = np.asfortranarray(picture[::-1, ::-1])
    fixed = picture.copy()
    fixed.flags.writeable = False
    earth_mover_similarity(picture, picture[::-1], PAPER)
    before = [len(kernel.signatures) for kernel in (lazy_transport, _transport_costs, _count_upper)]
    for one, other in ((turned, picture), (fixed, turned), (picture, fixed)):
        earth_mover_similarity(one, other, PAPER)
        earth_mover_similarity(one, other, HELM)
    assert [len(kernel.signatures) for kernel in (lazy_transport, _transport_costs, _count_upper)] == before
