"""From a page to the picture that is returned."""

import io

from PIL import Image

from i2s_render_lilypond.crop import finish
from i2s_render_lilypond.model import BlankPage, Crop, Options


def page(*ink):
    picture = Image.new("RGB", (20, 50), "white")
    for x, y in ink:
        picture.putpixel((x, y), (254, 255, 255))
    return picture


def opened(picture):
    return Image.open(io.BytesIO(picture.png))


def test_the_default_is_all_ink_of_the_whole_page():
    picture = finish(page((3, 4), (10, 49)), 1, Options())
    assert (picture.width, picture.height) == (8, 46)
    assert opened(picture).size == (8, 46)


def test_a_cut_comes_before_the_crop():
    picture = finish(page((3, 4), (10, 49)), 1, Options(cut_bottom=0.2))
    assert (picture.width, picture.height) == (1, 1)


def test_without_a_crop_the_page_stays():
    assert finish(page((3, 4)), 2, Options(crop=Crop.NONE)).height == 50


def test_a_blank_page_is_nothing_or_itself():
    assert finish(page(), 1, Options()) is None
    assert finish(page(), 1, Options(blank_page=BlankPage.KEEP)).height == 50


def test_a_page_with_ink_below_the_cut_alone_is_blank():
    assert finish(page((10, 49)), 1, Options(cut_bottom=0.2)) is None
