import numpy as np
import pytest
from skimage.metrics import structural_similarity as oracle

from i2s_metrics.errors import UndefinedError
from i2s_metrics.functional import ssim


def picture(seed, height, width):
    rng = np.random.default_rng(seed)
    return np.where(rng.random((height, width)) < 0.1, rng.integers(0, 255), 255).astype(np.uint8)


def expected(a, b):
    return (oracle(a, b, data_range=255) + 1) / 2


@pytest.mark.parametrize("size", [(7, 7), (8, 300), (300, 8), (64, 65)])
def test_it_is_scikit_images_value_moved_to_zero_and_one(size):
    a, b = picture(0, *size), picture(1, *size)
    assert ssim.structural_similarity(a, b) == pytest.approx(expected(a, b), abs=1e-12)


@pytest.mark.parametrize("levels", ["few", "all", "extreme"])
def test_a_large_picture_loses_nothing(levels):
    rng = np.random.default_rng(5)
    shape = (1080, 1920)
    a = rng.integers(0, 256, shape, dtype=np.uint8)
    if levels == "few":
        a = np.where(rng.random(shape) < 0.01, a, np.uint8(254))
    if levels == "extreme":
        a = np.where(a < 128, np.uint8(0), np.uint8(255))
    b = np.where(rng.random(shape) < 0.5, a, 255 - a)
    assert ssim.structural_similarity(a, b) == pytest.approx(expected(a, b), abs=1e-11)


def test_the_layout_in_memory_does_not_matter():
    a, b = grain(0, 90, 130), grain(1, 90, 130)
    value = ssim.structural_similarity(a, b)
    assert ssim.structural_similarity(np.asfortranarray(a), b) == value
    assert ssim.structural_similarity(np.repeat(a, 2, axis=1)[:, ::2], b) == value
    assert ssim.structural_similarity(a[::-1, ::-1], b[::-1, ::-1]) == pytest.approx(value, abs=1e-12)


def test_equal_pictures_have_one_and_order_does_not_matter():
    a, b = picture(0, 40, 50), picture(1, 40, 50)
    assert ssim.structural_similarity(a, a) == 1
    assert ssim.structural_similarity(a, b) == pytest.approx(ssim.structural_similarity(b, a), abs=1e-12)


def plain(a, b):
    """The definition written plainly: sample covariances of every window that lies inside, in a loop."""
    height, width = a.shape
    side = max(odd for odd in (1, 3, 5, 7) if odd <= min(height, width))
    values = []
    for top in range(height - side + 1):
        for left in range(width - side + 1):
            x, y = (one[top : top + side, left : left + side].astype(float).ravel() for one in (a, b))
            # One pixel does not vary; its sample variance, 0 / 0, is taken as 0.
            (xx, xy), (_, yy) = np.cov(x, y) if side > 1 else np.zeros((2, 2))
            c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
            means = (2 * x.mean() * y.mean() + c1) / (x.mean() ** 2 + y.mean() ** 2 + c1)
            values.append(means * (2 * xy + c2) / (xx + yy + c2))
    return (np.mean(values) + 1) / 2


def grain(seed, height, width):
    return np.random.default_rng(seed).integers(0, 256, (height, width), dtype=np.uint8)


@pytest.mark.parametrize("height", range(1, 11))
@pytest.mark.parametrize("width", range(1, 11))
def test_the_window_shrinks_to_what_fits(height, width):
    a, b = grain(0, height, width), grain(1, height, width)
    assert ssim.structural_similarity(a, b) == pytest.approx(plain(a, b), abs=1e-12)
    assert ssim.structural_similarity(a, a) == 1
    side = min(7, height, width)
    if side >= 3:
        theirs = oracle(a, b, data_range=255, win_size=side - (side + 1) % 2)
        assert ssim.structural_similarity(a, b) == pytest.approx((theirs + 1) / 2, abs=1e-12)


@pytest.mark.parametrize("size", [(1, 1200), (1200, 1), (2, 900), (4, 700), (6, 500)])
def test_low_pictures_have_the_value_of_the_definition(size):
    a, b = grain(0, *size), grain(1, *size)
    assert ssim.structural_similarity(a, b) == pytest.approx(plain(a, b), abs=1e-12)


def test_black_for_white_is_far_from_equal_at_every_size():
    for side in range(1, 9):
        black, white = (np.full((side, side), level, np.uint8) for level in (0, 255))
        assert ssim.structural_similarity(black, white) == pytest.approx(0.50005, abs=1e-5)


@pytest.mark.parametrize("size", [(6, 100), (100, 6), (1, 1)])
def test_the_released_code_has_no_value_below_its_window(size):
    with pytest.raises(UndefinedError, match=f"{size[1]}x{size[0]}"):
        ssim.check_leaderboard_size(picture(0, *size))


def test_the_released_code_has_a_value_from_its_window_on():
    ssim.check_leaderboard_size(picture(0, 7, 7))
