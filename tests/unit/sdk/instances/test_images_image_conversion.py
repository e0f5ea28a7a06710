"""GIF, TIFF and BMP as PNG files that look the same."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

from i2s_sdk.instances.images import ImageFaultError, convert_image, look_differences

TEAL, RED = Image.new("RGB", (8, 4), "teal"), Image.new("RGB", (8, 4), "red")
TURNED = Image.Exif()
TURNED[0x0112] = 6


def encoded(image: Image.Image, kind: str, **options: object) -> bytes:
    content = io.BytesIO()
    image.save(content, kind, **options)  # type: ignore[arg-type]
    return content.getvalue()


def pixels(png: bytes) -> np.ndarray:
    return np.array(Image.open(io.BytesIO(png)))


@pytest.mark.parametrize("kind", ["GIF", "TIFF", "BMP"])
def test_an_image_keeps_its_colors(kind: str) -> None:
    found = convert_image(encoded(TEAL, kind))
    assert (found.format, found.first_of_several) == (kind, False)
    assert (pixels(found.png) == np.array(TEAL)).all()
    assert look_differences(found.png) == ()


@pytest.mark.parametrize("kind", ["GIF", "TIFF"])
def test_the_first_of_several_frames_or_pages_is_taken(kind: str) -> None:
    found = convert_image(encoded(TEAL, kind, save_all=True, append_images=[RED]))
    assert found.first_of_several
    assert (pixels(found.png) == np.array(TEAL)).all()


def test_transparent_parts_become_white() -> None:
    found = convert_image(encoded(Image.new("RGBA", (8, 4), (0, 0, 0, 0)), "TIFF"))
    assert (pixels(found.png) == 255).all()


def test_greys_of_16_bits_keep_their_upper_half() -> None:
    image = Image.fromarray(np.full((4, 8), 40_000, np.uint16))
    assert (pixels(convert_image(encoded(image, "TIFF")).png) == 40_000 >> 8).all()


def test_an_image_is_turned_as_its_tag_says() -> None:
    assert pixels(convert_image(encoded(TEAL, "TIFF", exif=TURNED)).png).shape == (8, 4, 3)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (encoded(Image.new("F", (8, 4)), "TIFF"), "greys of 32 bits"),
        (encoded(TEAL, "PNG"), "is no image in GIF, TIFF or BMP"),
        (encoded(TEAL, "GIF")[:30], "damaged|is no image"),
        (b"GIF89a", "damaged|is no image"),
    ],
)
def test_what_cannot_be_converted_is_a_fault(content: bytes, said: str) -> None:
    with pytest.raises(ImageFaultError, match=said):
        convert_image(content)


def test_too_many_pixels_are_a_fault() -> None:
    with pytest.raises(ImageFaultError, match="has 8 x 4 pixels"):
        convert_image(encoded(TEAL, "BMP"), 31)
