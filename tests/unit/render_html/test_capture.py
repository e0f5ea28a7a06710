"""Counting pixels, and reading the head of a PNG."""

import io

import pytest
from PIL import Image

from i2s_chassis.errors import RasterError
from i2s_render_html.capture import picture_of, pixels_of


def png(mode, size=(7, 3)):
    stream = io.BytesIO()
    Image.new(mode, size).save(stream, "PNG")
    return stream.getvalue()


def test_a_picture_has_the_size_of_its_png():
    picture = picture_of(png("RGB"))
    assert (picture.width, picture.height) == (7, 3)


@pytest.mark.parametrize("data", [b"", b"x" * 100, png("RGBA"), png("L"), png("P"), png("I;16")])
def test_anything_but_rgb_of_8_bits_is_no_picture(data):
    with pytest.raises(RasterError):
        picture_of(data)


def test_pixels_are_counted_in_device_pixels_rounded_up():
    assert pixels_of(10, 10, 2) == 400
    assert pixels_of(10.5, 1, 1) == 11
