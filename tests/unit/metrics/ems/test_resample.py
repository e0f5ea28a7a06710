import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_metrics.errors import UndefinedError
from i2s_metrics.functional.ems.patches import resample, target_size
from i2s_metrics.functional.ems.rules import HELM, PAPER

sides = st.integers(1, 5000)


@pytest.mark.parametrize(
    ("size", "target"),
    [
        ((1920, 1080), (112, 56)),
        ((80, 80), (80, 80)),
        ((75, 61), (75, 61)),
        ((81, 80), (80, 80)),
        ((30, 12), (30, 12)),
        ((8, 8000), (8, 800)),
    ],
)
def test_pictures_are_reduced_to_at_most_a_hundred_patches(size: tuple[int, int], target: tuple[int, int]):
    assert target_size(*size, PAPER) == target
    assert target_size(*size, HELM) == target


def test_extreme_width_is_undefined_in_helm_and_one_row_in_paper():
    with pytest.raises(UndefinedError, match="2400x16"):
        target_size(2400, 16, HELM)
    assert target_size(2400, 16, PAPER) == (984, 8)


@given(sides, sides)
def test_profiles_agree_wherever_helm_is_defined(width, height):
    try:
        target = target_size(width, height, HELM)
    except UndefinedError:
        assert target_size(width, height, PAPER)[1] == 8
    else:
        assert target_size(width, height, PAPER) == target
        assert math.ceil(target[0] / 8) * math.ceil(target[1] / 8) <= 100


@given(st.integers(1, 10**8), st.integers(1, 10**8))
def test_no_picture_has_more_than_256_patches(width, height):
    columns, rows = (math.ceil(side / 8) for side in target_size(width, height, PAPER))
    assert columns * rows <= 256


def test_a_picture_of_the_right_size_is_left_alone():
    picture = np.zeros((8, 16, 3), np.uint8)
    assert resample(picture, (16, 8)) is picture
    assert resample(picture, (8, 8)).shape == (8, 8, 3)
