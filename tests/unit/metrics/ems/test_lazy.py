"""The value is that of the definition, whatever the pictures."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from i2s_metrics.functional.ems import HELM, PAPER, earth_mover_similarity

RULES = {"paper": PAPER, "helm": HELM}
BACKGROUNDS = [(255, 255, 255), (0, 0, 0), (245, 245, 245), (13, 17, 23), (30, 136, 229), (127, 127, 127)]
EXACT = 1e-6


def noise(rng, height, width, colour):
    return rng.integers(0, 256, (height, width, 3), dtype=np.uint8)


def text(rng, height, width, colour):
    picture = np.full((height, width, 3), colour, np.uint8)
    ink = rng.random((height, width)) < rng.choice([0.02, 0.2, 0.45])
    picture[ink] = rng.integers(0, 256, 3, dtype=np.uint8)
    return picture


def plain(rng, height, width, colour):
    return np.full((height, width, 3), colour, np.uint8)


def nearly_plain(rng, height, width, colour):
    away = rng.integers(-1, 2, (height, width, 3))
    return np.clip(np.array(colour) + away, 0, 255).astype(np.uint8)


def gradient(rng, height, width, colour):
    ramp = np.add.outer(np.linspace(0, 155, height), np.linspace(0, 100, width))
    return np.repeat(ramp.astype(np.uint8)[..., None], 3, axis=2)


def checkers(rng, height, width, colour):
    odd = np.add.outer(np.arange(height), np.arange(width)) % 2 == 1
    picture = np.full((height, width, 3), colour, np.uint8)
    picture[odd] = 255 - np.array(colour)
    return picture


def tiles(rng, height, width, colour):
    """Few different patches in many places: equal patches, ties, competing matches."""
    kinds = np.stack([plain(rng, 8, 8, colour), text(rng, 8, 8, colour), checkers(rng, 8, 8, colour)])
    chosen = kinds[rng.integers(0, 3, (height // 8 + 1, width // 8 + 1))]
    whole = chosen.swapaxes(1, 2).reshape((height // 8 + 1) * 8, (width // 8 + 1) * 8, 3)
    return np.ascontiguousarray(whole[:height, :width])


KINDS = [noise, text, plain, nearly_plain, gradient, checkers, tiles]


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


@st.composite
def pairs(draw, most=33):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    height, width = draw(st.integers(1, most)), draw(st.integers(1, most))
    colour = draw(st.sampled_from(BACKGROUNDS))
    reference = draw(st.sampled_from(KINDS))(rng, height, width, colour)
    if draw(st.booleans()):
        return draw(st.sampled_from(CHANGES))(rng, reference), reference
    other = draw(st.sampled_from([colour, *BACKGROUNDS]))
    return draw(st.sampled_from(KINDS))(rng, height, width, other), reference


@pytest.mark.parametrize("profile", RULES)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(pair=pairs())
def test_lazy_transport_equals_the_plain_definition(naive, profile, pair):
    prediction, reference = pair
    result = earth_mover_similarity(prediction, reference, RULES[profile])
    block_emd, denominator = naive(prediction, reference, profile)
    assert result.block_emd == pytest.approx(block_emd, abs=EXACT)
    assert result.denominator == pytest.approx(denominator, abs=EXACT)


@pytest.mark.parametrize(
    ("ours", "theirs", "height", "width", "profile"),
    [
        (text, text, 97, 160, "paper"),
        (noise, gradient, 120, 90, "helm"),
        (tiles, text, 9, 900, "helm"),
        (text, noise, 8, 1000, "paper"),
    ],
)
def test_lazy_transport_equals_the_plain_definition_on_reduced_pictures(
    naive, ours, theirs, height, width, profile
):
    rng = np.random.default_rng(7)
    prediction = ours(rng, height, width, (255, 255, 255))
    reference = theirs(rng, height, width, (255, 255, 255))
    result = earth_mover_similarity(prediction, reference, RULES[profile])
    block_emd, denominator = naive(prediction, reference, profile)
    assert result.block_emd == pytest.approx(block_emd, abs=EXACT)
    assert result.denominator == pytest.approx(denominator, abs=EXACT)
