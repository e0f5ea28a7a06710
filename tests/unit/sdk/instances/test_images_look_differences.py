"""References whose pixels, as metrics read them, are not what they look like."""

from __future__ import annotations

import io
import re
import struct
import zlib

import numpy as np
import pytest
from PIL import Image, ImageCms

from i2s_sdk.instances.images import ImageFaultError, look_differences, read_header

RGB = Image.new("RGB", (8, 8), "teal")
RED = Image.new("RGB", (8, 8), "red")
TURNED = Image.Exif()
TURNED[0x0112] = 6


def encoded(image: Image.Image, kind: str = "PNG", **options: object) -> bytes:
    content = io.BytesIO()
    image.save(content, kind, **options)  # type: ignore[arg-type]
    return content.getvalue()


def profile(name: str) -> bytes:
    return ImageCms.ImageCmsProfile(ImageCms.createProfile(name)).tobytes()


def of_palette() -> bytes:
    image = Image.new("P", (2, 1))
    image.putpalette([10, 20, 30, 40, 50, 60])
    image.putdata([0, 1])
    return encoded(image, transparency=0)


def of_16_bits_a_channel() -> bytes:
    """A PNG file of one pixel, which Pillow does not write."""
    chunks = (
        (b"IHDR", struct.pack(">IIBBBBB", 1, 1, 16, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(b"\0" + struct.pack(">3H", 40_000, 300, 0))),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in chunks
    )


@pytest.mark.parametrize(
    "content",
    [
        encoded(RGB),
        encoded(RGB, "JPEG"),
        encoded(RGB, "WEBP"),
        encoded(RGB.convert("L")),
        encoded(RGB.convert("P")),
        encoded(RGB.convert("RGBA")),
        encoded(Image.new("RGBA", (8, 8), (255, 255, 255, 0))),
        encoded(RGB, icc_profile=profile("sRGB")),
        encoded(RGB, icc_profile=b"no profile"),
    ],
)
def test_ordinary_images_are_compared_as_they_look(content: bytes) -> None:
    assert look_differences(content) == ()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (encoded(Image.new("RGBA", (8, 8), (0, 0, 0, 0))), "is transparent in places.* 100.0% of its pixels"),
        (encoded(Image.new("LA", (8, 8), (0, 100))), "is transparent in places"),
        (of_palette(), "is transparent in places.* 50.0% of its pixels"),
        (encoded(RGB, transparency=(0, 128, 128)), "is transparent in places"),
        (encoded(Image.fromarray(np.full((8, 8), 1000, np.uint16))), "has greys of 16 bits.* clip at 255"),
        (encoded(RGB, save_all=True, append_images=[RED]), "has several frames"),
        (encoded(RGB, "WEBP", save_all=True, append_images=[RED]), "has several frames"),
        (encoded(RGB, "MPO", save_all=True, append_images=[RED]), "has several frames"),
        (encoded(RGB, "JPEG", exif=TURNED), "is stored turned or mirrored"),
        (encoded(RGB, exif=TURNED), "is stored turned or mirrored"),
        (encoded(RGB.convert("CMYK"), "JPEG"), "has CMYK colors"),
        (encoded(RGB, icc_profile=profile("XYZ")), "has the color profile XYZ.*, which metrics ignore"),
    ],
)
def test_each_difference_is_named(content: bytes, said: str) -> None:
    (found,) = look_differences(content)
    assert re.match(said, found)


def test_16_bits_of_colors_lose_their_lower_half() -> None:
    assert look_differences(of_16_bits_a_channel()) == (
        "has 16 bits for each channel, of which metrics compare the upper 8",
    )


def test_several_differences_are_all_named() -> None:
    content = encoded(Image.new("RGBA", (8, 8), (0, 0, 0, 0)), exif=TURNED)
    assert len(look_differences(content)) == 2


@pytest.mark.parametrize("content", [b"", encoded(RGB)[:40], encoded(RGB, "GIF")])
def test_what_is_no_whole_image_is_a_fault(content: bytes) -> None:
    with pytest.raises(ImageFaultError):
        look_differences(content)


def test_a_jpeg_file_with_further_images_is_a_jpeg_file() -> None:
    content = encoded(RGB, "MPO", save_all=True, append_images=[RED])
    assert read_header(content).media_type == "image/jpeg"
