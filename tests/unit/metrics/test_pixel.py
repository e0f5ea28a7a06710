import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from i2s_metrics.functional.colours import modal_colour
from i2s_metrics.functional.pixel import pixel_row_similarity, pixel_similarity

pictures = arrays(np.uint8, (4, 5, 3), elements=st.sampled_from([0, 5, 6, 250, 255]))
greys = arrays(np.uint8, (8, 3), elements=st.sampled_from([0, 3, 255]))


def plain(level, height=10, width=10):
    return np.full((height, width, 3), level, np.uint8)


@given(pictures, pictures)
def test_it_is_the_share_of_agreeing_pixels_outside_the_common_background(a, b):
    pixels = [*a.reshape(-1, 3).tolist(), *b.reshape(-1, 3).tolist()]
    background = min(pixels, key=lambda colour: (-pixels.count(colour), colour))
    agreeing = counting = 0
    for ours, theirs in zip(a.reshape(-1, 3).tolist(), b.reshape(-1, 3).tolist(), strict=True):
        if ours == theirs == background:
            continue
        counting += 1
        agreeing += all(abs(x - y) <= 0.02 * 255 for x, y in zip(ours, theirs, strict=True))
    assert pixel_similarity(a, b) == (agreeing / counting if counting else 1.0)
    assert pixel_similarity(b, a) == pixel_similarity(a, b)
    assert pixel_similarity(a, a) == 1


def by_arrays(a, b):
    """The definition in operations on whole arrays."""
    background = np.array(modal_colour(a, b).rgb, np.uint8)
    counting = ~((a == background).all(axis=2) & (b == background).all(axis=2))
    difference = np.maximum(a, b) - np.minimum(a, b)
    agreeing = (difference <= 5).all(axis=2) & counting
    total = np.count_nonzero(counting)
    return float(np.count_nonzero(agreeing) / total) if total else 1.0


def page(seed, height, width):
    """White, with boxes of one colour and a box of noise."""
    rng = np.random.default_rng(seed)
    picture = np.full((height, width, 3), 255, np.uint8)
    for _ in range(40):
        top, left = rng.integers(0, height), rng.integers(0, width)
        picture[top : top + height // 9, left : left + width // 9] = rng.integers(0, 256, 3)
    box = picture[height // 3 : height // 2, width // 3 : width // 2]
    box[:] = rng.integers(0, 256, box.shape)
    return picture


@pytest.mark.parametrize("size", [(1, 1), (1, 300), (300, 1), (37, 53), (1080, 1920)])
@pytest.mark.parametrize("kind", ["page", "near", "noise"])
def test_it_is_exactly_the_value_of_operations_on_whole_arrays(size, kind):
    rng = np.random.default_rng(7)
    reference = rng.integers(0, 256, (*size, 3), dtype=np.uint8) if kind == "noise" else page(0, *size)
    prediction = page(1, *size)
    if kind == "near":
        moved = reference.astype(np.int16) + rng.integers(-6, 7, reference.shape)
        prediction = moved.clip(0, 255).astype(np.uint8)
    assert pixel_similarity(prediction, reference) == by_arrays(prediction, reference)


def test_the_layout_in_memory_does_not_matter_and_pictures_stay_writable():
    reference, prediction = page(0, 60, 90), page(1, 60, 90)
    value = pixel_similarity(prediction, reference)
    assert pixel_similarity(np.asfortranarray(prediction), reference) == value
    assert pixel_similarity(prediction[::-1, ::-1], reference[::-1, ::-1]) == value
    assert prediction.flags.writeable
    assert reference.flags.writeable


@pytest.mark.parametrize(("level", "value"), [(105, 1.0), (106, 0.0), (95, 1.0), (94, 0.0)])
def test_colours_agree_up_to_five_levels(level, value):
    reference = plain(255)
    reference[0, 0] = 100
    prediction = plain(255)
    prediction[0, 0] = (100, 100, level)
    assert pixel_similarity(prediction, reference) == value


def test_background_against_ink_counts_as_disagreement():
    reference = plain(255)
    reference[:, 0] = 0
    assert pixel_similarity(plain(255), reference) == 0


@given(greys, greys)
def test_rows_match_as_the_leaderboard_matched_them(a, b):
    rows = [*a.tolist(), *b.tolist()]
    matching = 0
    for ours, theirs in zip(a.tolist(), b.tolist(), strict=True):
        frequent = max(rows.count(ours), rows.count(theirs)) > len(rows) / 4
        norm = sum(((x - y) % 256) ** 2 for x, y in zip(ours, theirs, strict=True)) ** 0.5
        matching += norm / 255 <= 0.02 and not frequent
    assert pixel_row_similarity(a, b) == matching / len(a)


def test_row_differences_wrap_around_in_one_direction():
    a, b = (np.zeros((16, 3), np.uint8) for _ in range(2))
    a[:] = b[:] = np.arange(16)[:, None] * 10
    a[3] += 2
    assert pixel_row_similarity(a, b) == 1
    assert pixel_row_similarity(b, a) == 15 / 16


def test_equal_pictures_of_one_colour_do_not_match_by_rows():
    blank = np.full((10, 10), 255, np.uint8)
    assert pixel_row_similarity(blank, blank) == 0
