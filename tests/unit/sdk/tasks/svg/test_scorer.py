"""SVG-Bench's mean squared error against its definition, and the length of the code."""

import io

import numpy as np
import pytest
from PIL import Image

from i2s_sdk.scoring.scorer import Scorable
from i2s_sdk.tasks.svg.scorer import BREVITY, LIKENESS, SvgScorer, drawn_to_text


def png(pixels):
    output = io.BytesIO()
    Image.fromarray(np.asarray(pixels, dtype=np.uint8)).save(output, "PNG")
    return output.getvalue()


def values(ours, theirs, code="<svg/>", truth="<svg/>"):
    sample = Scorable("a", code, text=drawn_to_text(ours, code), truth=drawn_to_text(theirs, truth))
    return SvgScorer().score(sample).metrics


def test_the_error_is_the_mean_of_squares_over_pixels_and_channels_from_0_to_1():
    chance = np.random.default_rng(1)
    ours, theirs = (chance.integers(0, 256, (224, 224, 3)) for _ in range(2))
    wanted = 1 - np.mean((ours / 255 - theirs / 255) ** 2)
    assert values(png(ours), png(theirs))[LIKENESS] == pytest.approx(wanted, abs=1e-12)


def test_equal_images_have_1_and_black_against_white_0():
    white, black = (png(np.full((50, 40, 3), level)) for level in (255, 0))
    assert values(white, white)[LIKENESS] == 1.0
    assert values(black, white)[LIKENESS] == 0.0


def test_transparent_parts_are_white():
    clear = png(np.zeros((30, 30, 4)))
    assert values(clear, png(np.full((30, 30, 3), 255)))[LIKENESS] == 1.0


def test_code_twice_as_long_as_that_of_the_truth_has_half_and_shorter_code_1():
    image = png(np.full((9, 9, 3), 255))
    assert values(image, image, "x" * 20, "x" * 10)[BREVITY] == 0.5
    assert values(image, image, "x" * 5, "x" * 10)[BREVITY] == 1.0
    assert values(image, image, truth=None)[BREVITY] is None


def test_an_answer_that_is_not_usable_has_0_and_no_brevity_without_code_of_the_truth():
    image = png(np.full((9, 9, 3), 255))
    known, unknown = (Scorable("a", truth=drawn_to_text(image, code)) for code in ("<svg/>", None))
    assert SvgScorer().unusable(known).metrics == {LIKENESS: 0.0, BREVITY: 0.0}
    assert SvgScorer().unusable(unknown).metrics == {LIKENESS: 0.0, BREVITY: None}
    assert list(SvgScorer().unusable(unknown).undefined) == [BREVITY]
