import numpy as np
import pytest

from i2s_metrics.functional.ems.patches import PatchSet
from i2s_metrics.functional.ems.rules import HELM, PAPER, luma

WHITE = (255, 255, 255)


def plain(colour, height=8, width=16):
    return np.full((height, width, 3), colour, np.uint8)


def test_edges_are_padded_with_the_background():
    patches = PatchSet.of(plain(0, 5, 11), (200, 100, 50), PAPER)
    assert patches.grey.shape == (2, 64)
    right = patches.grey[1].reshape(8, 8)
    background = (0.299 * 200 + 0.587 * 100 + 0.114 * 50) / 255
    assert right[:5, :3] == pytest.approx(0)
    assert right[5:] == pytest.approx(background)
    assert right[:, 3:] == pytest.approx(background)


def test_positions_are_row_and_column_by_their_number():
    patches = PatchSet.of(plain(0, 16, 24), WHITE, PAPER)
    assert patches.position.tolist() == [[r / 2, c / 3] for r in range(2) for c in range(3)]


def test_background_patches_and_pixels_weigh_a_thousandth():
    picture = plain(WHITE)
    picture[0, 0] = 0
    patches = PatchSet.of(picture, WHITE, PAPER)
    assert patches.mass.tolist() == [1000, 1]
    assert patches.total == 1001
    assert patches.pixel_mass[0].tolist() == [1000] + [1] * 63


def test_patches_keep_their_weights_when_others_are_dropped():
    picture = plain(WHITE)
    picture[0, 0] = 0
    kept = PatchSet.of(picture, WHITE, PAPER).keep(np.array([True, False]))
    assert kept.mass.tolist() == [1000]
    assert kept.total == 1001


@pytest.mark.parametrize("colour", [WHITE, (0, 0, 0)])
def test_helm_knows_a_black_or_white_background_patch(colour):
    patches = PatchSet.of(np.concatenate([plain(colour, 8, 8), plain(128, 8, 8)], 1), colour, HELM)
    assert patches.mass.tolist() == [1, 1000]


def test_helm_knows_no_other_background_patch():
    colours = [(grey, grey, grey) for grey in range(1, 255)]
    assert all((PatchSet.of(plain(c), c, HELM).mass == 1000).all() for c in colours)


def test_helm_knows_background_pixels_of_every_grey():
    for grey in range(256):
        assert PatchSet.of(plain(grey), (grey, grey, grey), HELM).blank.all()


def test_helm_misses_background_pixels_of_about_a_quarter_of_the_chromatic_colours():
    colours = np.random.default_rng(0).integers(0, 256, (2000, 3))
    missed = [not PatchSet.of(plain(c), tuple(c.tolist()), HELM).blank.all() for c in colours]
    assert 0.2 < np.mean(missed) < 0.3
    assert not PatchSet.of(plain((13, 17, 23)), (13, 17, 23), HELM).blank.any()


def test_paper_takes_greys_within_half_a_level_for_background():
    same_grey = (255 - 114, 255 - 114, 255)  # of blue taken from the others: far in colour
    assert PAPER.background_pixels(np.array([[254, 255, 255]], np.uint8), WHITE).tolist() == [True]
    assert PAPER.background_pixels(np.array([[255, 254, 255]], np.uint8), WHITE).tolist() == [False]
    grey = luma(np.array(same_grey, np.uint8)) / 1000
    nearest = (round(grey),) * 3
    assert PAPER.background_pixels(np.array([same_grey], np.uint8), nearest).tolist() == [True]


def test_paper_tolerance_includes_exactly_half_a_level():
    base = np.array([100, 100, 100])
    deltas = np.stack(np.meshgrid(*[np.arange(-12, 13)] * 3), -1).reshape(-1, 3)
    exact = base + deltas[np.abs(deltas @ np.array([299, 587, 114])) == 500]
    beyond = base + deltas[np.abs(deltas @ np.array([299, 587, 114])) == 501]
    assert len(exact)
    assert len(beyond)
    assert PAPER.background_pixels(exact.astype(np.uint8), (100, 100, 100)).all()
    assert not PAPER.background_pixels(beyond.astype(np.uint8), (100, 100, 100)).any()
