"""Decodes pictures to pixels; the size is checked before anything is decoded."""

from __future__ import annotations

import io
import warnings

import numpy as np
from PIL import Image, UnidentifiedImageError

from i2s_metrics.errors import BadImageError
from i2s_metrics.functional.arrays import RgbArray
from i2s_metrics.jpeg import count_scans

#: Formats that are read, by Pillow's names.
FORMATS = ("PNG", "JPEG", "WEBP")
#: Scans of a JPEG file that are read where the caller says nothing; encoders write 1 to about 20.
MOST_SCANS = 100


def decode(data: bytes, most_pixels: int, most_scans: int = MOST_SCANS) -> RgbArray:
    """Return the pixels of a PNG, JPEG or WebP file.

    What is not RGB becomes so as Pillow's ``convert("RGB")`` has it: alpha is dropped and not
    composited, palettes are looked up, 16-bit greys above 255 become 255, of 16-bit colours the
    high byte is kept. Of an animation the first frame is read. Orientation tags are ignored.

    Args:
        data: The file.
        most_pixels: Width times height that is allowed.
        most_scans: Maximum number of scans of a JPEG file.

    Returns:
        Shape (height, width, 3).

    Raises:
        BadImageError: The file is none of these formats, has more pixels or scans, or is broken.
    """
    if count_scans(data, most_scans) > most_scans:
        raise BadImageError(f"a JPEG file of more than {most_scans} scans (--max-jpeg-scans)")
    try:
        with _open(data) as picture:
            check_pixels(picture.size, most_pixels)
            return np.array(picture.convert("RGB"))
    except (BadImageError, MemoryError):
        raise
    except UnidentifiedImageError:
        raise BadImageError(f"not a picture; {', '.join(FORMATS[:-1])} and {FORMATS[-1]} are read") from None
    except Image.DecompressionBombError as error:
        raise BadImageError(str(error)) from None
    except Exception as error:  # Decoders of hostile files raise nearly anything.
        raise BadImageError(f"broken file: {error}") from error


def _open(data: bytes) -> Image.Image:
    """Read the header and nothing more."""
    with warnings.catch_warnings():
        # Pillow warns of sizes that it finds suspicious; ours is the bound that counts.
        warnings.simplefilter("ignore", Image.DecompressionBombWarning)
        return Image.open(io.BytesIO(data), formats=FORMATS)


def check_pixels(size: tuple[int, int], most_pixels: int) -> None:
    """Refuse a picture of more than ``most_pixels`` pixels.

    Raises:
        BadImageError: It has more.
    """
    width, height = size
    if width * height > most_pixels:
        raise BadImageError(
            f"{width}x{height} is {width * height} pixels, more than {most_pixels} (--max-image-pixels)"
        )
