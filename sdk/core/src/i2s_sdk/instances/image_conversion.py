"""Conversion of images that are not read as references: GIF, TIFF and BMP become PNG."""

from __future__ import annotations

import io
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

from i2s_sdk.instances.images import MAX_PIXELS, ImageFaultError, broken, open_image

if TYPE_CHECKING:
    from PIL import Image

#: Formats that are converted, by Pillow's names.
CONVERTED_FORMATS = ("GIF", "TIFF", "BMP")


@dataclass(frozen=True, slots=True)
class ConvertedImage:
    """An image that was converted to PNG, as it looks on white.

    Attributes:
        png: The PNG file: RGB, 8 bits for each channel.
        format: Format of the original, by Pillow's name.
        first_of_several: Whether the original has further frames or pages, which are lost.
    """

    png: bytes
    format: str
    first_of_several: bool


def convert_image(content: bytes, most_pixels: int = MAX_PIXELS) -> ConvertedImage:
    """Convert the first frame or page of a GIF, TIFF or BMP file to PNG.

    Args:
        content: The file.
        most_pixels: Width times height that is allowed.

    Raises:
        ImageFaultError: It is none of these, has more pixels, is damaged, or has greys that PNG has not.
    """
    from PIL import ImageOps

    with (
        warnings.catch_warnings(action="ignore"),
        open_image(content, most_pixels, CONVERTED_FORMATS) as image,
    ):
        try:
            image.load()
            upright = _on_white(ImageOps.exif_transpose(image))
            file = io.BytesIO()
            upright.save(file, "PNG")
            return ConvertedImage(file.getvalue(), str(image.format), _has_more(image))
        except ImageFaultError:
            raise
        except Exception as error:  # decoders raise nearly anything
            raise broken(error) from None


def _on_white(image: Image.Image) -> Image.Image:
    """Return an image in RGB, its transparent parts white."""
    import numpy as np
    from PIL import Image as Images

    if image.mode.startswith("I;16"):
        return Images.fromarray((np.asarray(image) >> 8).astype(np.uint8)).convert("RGB")
    if image.mode in ("I", "F"):
        raise ImageFaultError("has greys of 32 bits; convert it to PNG as it should look")
    if not image.has_transparency_data:
        return image.convert("RGB")
    white = Images.new("RGBA", image.size, "white")
    return Images.alpha_composite(white, image.convert("RGBA")).convert("RGB")


def _has_more(image: Image.Image) -> bool:
    try:
        image.seek(1)
    except EOFError:
        return False
    return True
