import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from i2s_chassis.renderer.crop import encode, finish, finish_in_thread, inked_rows, kept_rows
from i2s_chassis.renderer.model import ResolvedPageOptions
from i2s_chassis.renderer.pixmap import Pixmap
from i2s_wire.render.options import BlankPage, Crop


def options(*, cut_bottom=0.2, **given):
    return ResolvedPageOptions(dpi=200.0, cut_bottom=cut_bottom, **given)


def page(width=20, height=30, ink=()):
    pixels = np.full((height, width, 3), 255, np.uint8)
    for x, y, colour in ink:
        pixels[y, x] = colour
    return Pixmap(width, height, pixels.tobytes())


def opened(picture):
    return Image.open(io.BytesIO(picture.png))


@pytest.mark.parametrize(("height", "kept"), [(2200, 1760), (30, 24), (34, 28), (4, 4), (1, 1)])
def test_a_fifth_rounded_down_is_cut_off(height, kept):
    assert kept_rows(height, 0.2) == kept


def test_no_cut_keeps_the_page():
    assert kept_rows(30, 0.0) == 30


def test_the_page_number_at_the_foot_is_cut_off():
    numbered = page(ink=[(3, 4, (0, 0, 0)), (10, 28, (0, 0, 0))])
    assert finish(numbered, 1, options()).height == 1


def test_almost_white_is_ink():
    faint = page(ink=[(5, 6, (255, 255, 254))])
    assert inked_rows(faint, 30) == (6, 7)
    picture = finish(faint, 1, options())
    assert (picture.width, picture.height) == (1, 1)


def test_a_blank_page_is_nothing():
    assert finish(page(), 1, options()) is None


def test_ink_below_the_cut_does_not_make_a_page():
    assert finish(page(ink=[(1, 29, (0, 0, 0))]), 1, options()) is None


def test_a_blank_page_that_is_kept_is_white_and_uncropped():
    kept = finish(page(), 1, options(blank_page=BlankPage.KEEP))
    assert (kept.width, kept.height) == (20, 24)
    assert opened(kept).getextrema() == ((255, 255),) * 3


def test_without_crop_the_page_is_only_cut():
    picture = finish(page(ink=[(5, 6, (0, 0, 0))]), 3, options(crop=Crop.NONE))
    assert (picture.width, picture.height, picture.page) == (20, 24, 3)


def test_without_a_cut_the_foot_counts():
    numbered = page(ink=[(3, 4, (0, 0, 0)), (10, 29, (0, 0, 0))])
    picture = finish(numbered, 1, options(cut_bottom=0.0))
    assert opened(picture).size == (picture.width, picture.height) == (8, 26)


async def test_finishing_in_a_thread_says_what_it_used():
    inked = page(ink=[(5, 6, (1, 2, 3))])
    picture, stage = await finish_in_thread(lambda: inked, 2, options())
    assert picture == finish(inked, 2, options())
    assert stage.name == "crop"
    assert stage.usage.wall_seconds > 0


def test_picture_is_rgb_png():
    picture = finish(page(ink=[(5, 6, (1, 2, 3))]), 1, options())
    assert picture.png.startswith(b"\x89PNG")
    assert opened(picture).mode == "RGB"
    assert opened(picture).getpixel((0, 0)) == (1, 2, 3)


def test_equal_pixels_are_equal_bytes():
    first, second = (page(ink=[(1, 1, (9, 9, 9))]).picture(0, 30) for _ in range(2))
    assert encode(first) == encode(second)


POINTS = st.lists(st.tuples(st.integers(0, 19), st.integers(0, 23)), min_size=1, max_size=5)


@given(POINTS)
def test_crop_holds_exactly_the_ink(points):
    picture = finish(page(ink=[(x, y, (0, 0, 0)) for x, y in points]), 1, options())
    columns, rows = {x for x, _ in points}, {y for _, y in points}
    assert picture.width == max(columns) - min(columns) + 1
    assert picture.height == max(rows) - min(rows) + 1
    dark = np.asarray(opened(picture)).sum(axis=2) == 0
    assert dark.sum() == len(set(points))
