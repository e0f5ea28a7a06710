import numpy as np
import pytest
from skimage.metrics import structural_similarity as oracle

from i2s_metrics.functional import ssim
from i2s_metrics.functional.errors import UndefinedError


def picture(seed, height, width):
    rng = np.random.default_rng(seed)
    return np.where(rng.random((height, width)) < 0.1, rng.integers(0, 255), 255).astype(np.uint8)


def expected(a, b):
    return (oracle(a, b, data_range=255) + 1) / 2


@pytest.mark.parametrize("size", [(7, 7), (8, 300), (300, 8), (64, 65)])
def test_it_is_scikit_images_value_moved_to_zero_and_one(size):
    a, b = picture(0, *size), picture(1, *size)
    assert ssim.structural_similarity(a, b) == pytest.approx(expected(a, b), abs=1e-12)


@pytest.mark.parametrize("size", [(64, 65), (65, 64), (7, 200), (200, 7), (50, 50)])
@pytest.mark.parametrize("band", [1, 100, 500, 10_000])
def test_bands_change_nothing(monkeypatch, size, band):
    monkeypatch.setattr(ssim, "_BAND_PIXELS", band)
    a, b = picture(0, *size), picture(1, *size)
    assert ssim.structural_similarity(a, b) == pytest.approx(expected(a, b), abs=1e-12)


def test_equal_pictures_have_one_and_order_does_not_matter():
    a, b = picture(0, 40, 50), picture(1, 40, 50)
    assert ssim.structural_similarity(a, a) == 1
    assert ssim.structural_similarity(a, b) == pytest.approx(ssim.structural_similarity(b, a), abs=1e-12)


@pytest.mark.parametrize("size", [(6, 100), (100, 6), (1, 1)])
def test_pictures_smaller_than_the_window_have_no_value(size):
    with pytest.raises(UndefinedError, match=f"{size[1]}x{size[0]}"):
        ssim.structural_similarity(picture(0, *size), picture(1, *size))
