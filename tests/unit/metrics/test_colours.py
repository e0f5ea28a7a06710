import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from i2s_metrics.functional.colours import modal_colour

levels = st.sampled_from([0, 1, 254, 255])
shapes = array_shapes(min_dims=2, max_dims=2, max_side=9).map(lambda shape: (*shape, 3))
pictures = arrays(np.uint8, shapes, elements=levels)


@given(st.lists(pictures, min_size=1, max_size=2))
def test_it_is_the_most_frequent_and_of_equals_the_smallest(several):
    pixels = [tuple(pixel) for picture in several for pixel in picture.reshape(-1, 3).tolist()]
    expected = min(set(pixels), key=lambda colour: (-pixels.count(colour), colour))
    found = modal_colour(*several)
    assert found.rgb == expected
    assert found.share == pixels.count(expected) / len(pixels)


def test_of_two_halves_the_smaller_colour_is_taken():
    picture = np.zeros((2, 200, 3), np.uint8)
    picture[0] = (9, 0, 1)
    picture[1] = (9, 1, 0)
    assert modal_colour(picture).rgb == (9, 0, 1)


def test_a_majority_that_the_sample_misses_is_found():
    picture = np.full((1000, 1000, 3), 7, np.uint8)
    picture.reshape(-1, 3)[:: 1_000_000 // 255] = 3
    assert modal_colour(picture).rgb == (7, 7, 7)


def test_among_many_colours_the_most_frequent_is_found():
    rng = np.random.default_rng(0)
    picture = rng.integers(0, 256, (300, 400, 3), dtype=np.uint8)
    for seen, colour in ((40, (200, 3, 77)), (40, (200, 3, 76)), (39, (0, 0, 0))):
        picture.reshape(-1, 3)[rng.choice(120_000, seen, replace=False)] = colour
    pixels = [tuple(pixel) for pixel in picture.reshape(-1, 3).tolist()]
    counts = {colour: pixels.count(colour) for colour in ((200, 3, 77), (200, 3, 76), (0, 0, 0))}
    best = max(counts.values())
    expected = min(colour for colour, count in counts.items() if count == best)
    assert modal_colour(picture).rgb == expected
    assert modal_colour(picture[:150], picture[150:]).rgb == expected


def test_pictures_that_may_not_be_written_are_counted_and_others_left_writable():
    picture = np.random.default_rng(1).integers(0, 4, (20, 30, 3), dtype=np.uint8)
    expected = modal_colour(picture)
    assert picture.flags.writeable
    picture.flags.writeable = False
    assert modal_colour(picture) == expected
    assert modal_colour(picture[:, ::-1]) == expected
