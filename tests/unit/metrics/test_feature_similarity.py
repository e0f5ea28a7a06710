"""Bilinear resizing beside torchvision's transforms of Pillow images."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from PIL import Image

from i2s_metrics.functional import feature_similarity


@pytest.fixture(scope="module")
def transforms():
    pytest.importorskip("torch", reason="the networks are an extra: pip install 'i2s-metrics[networks]'")
    from i2s_metrics.networks.feature_networks import declare_missing_operators

    declare_missing_operators()
    from torchvision import transforms

    return transforms


def noise(width, height):
    return np.random.default_rng(width * 7919 + height).integers(0, 256, (height, width, 3), dtype=np.uint8)


sides = st.integers(1, 700)


@given(sides, sides, st.sampled_from([256, 299]))
def test_a_square_is_that_of_torchvision(transforms, width, height, side):
    picture = noise(width, height)
    expected = np.asarray(transforms.Resize((side, side))(Image.fromarray(picture)))
    np.testing.assert_array_equal(feature_similarity.resize(picture, side), expected)


@given(sides, sides, st.sampled_from([256, 299]))
def test_a_central_square_is_that_of_torchvision(transforms, width, height, side):
    assume(side**2 * max(width, height) / min(width, height) < feature_similarity._MOST_WHOLE_PIXELS)
    picture = noise(width, height)
    both = transforms.Compose([transforms.Resize(side), transforms.CenterCrop(side)])
    expected = np.asarray(both(Image.fromarray(picture)))
    np.testing.assert_array_equal(feature_similarity.resize_and_crop(picture, side), expected)


@pytest.mark.parametrize("size", [(1, 60), (60, 1), (2, 90), (400, 3), (299, 5000), (7, 333)])
def test_a_window_of_a_long_picture_is_what_a_crop_of_the_whole_would_be(monkeypatch, size):
    picture = noise(*size)
    whole = feature_similarity.resize_and_crop(picture, 299)
    monkeypatch.setattr(feature_similarity, "_MOST_WHOLE_PIXELS", 0)
    window = feature_similarity.resize_and_crop(picture, 299)
    assert np.abs(window.astype(int) - whole).max() <= 1


def test_a_picture_of_one_row_and_millions_of_columns_costs_no_memory():
    row = np.zeros((1, 5_000_000, 3), np.uint8)
    row[:, 2_500_000:] = 255
    assert feature_similarity.resize_and_crop(row, 299).shape == (299, 299, 3)
    assert feature_similarity.resize(row, 256)[0, [0, 126, 129, 255], 0].tolist() == [0, 0, 255, 255]
