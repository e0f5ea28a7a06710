"""Bilinear reduction of a picture, as torchvision does it to Pillow pictures.

Pillow's ``resize`` with ``BILINEAR`` is antialiased: the triangle grows with the scale, so that every
pixel of the original counts. torchvision's ``Resize`` calls it for Pillow pictures. This module has the
same values without torch, and without a memory that grows with the shape of the picture.
"""

from __future__ import annotations

import numpy as np
from PIL import Image

from i2s_metrics.functional.arrays import RgbArray

#: A resized picture of more pixels is never made as a whole.
_MOST_WHOLE_PIXELS = 4_000_000


def resize(picture: RgbArray, side: int) -> RgbArray:
    """Return the whole picture as a square.

    Args:
        picture: Shape (height, width, 3), any shape of at least one pixel.
        side: Side of the square, in pixels.

    Returns:
        Shape (side, side, 3).
    """
    return np.asarray(Image.fromarray(picture).resize((side, side), Image.Resampling.BILINEAR))


def resize_and_crop(picture: RgbArray, side: int) -> RgbArray:
    """Return the central square of the picture after its shorter side was resized to ``side``.

    The longer side becomes ``int(side * longer / shorter)``, as torchvision has it, and the square begins at
    ``int(round((longer - side) / 2))``.

    Args:
        picture: Shape (height, width, 3), any shape of at least one pixel.
        side: Side of the square, in pixels.

    Returns:
        Shape (side, side, 3).
    """
    height, width = picture.shape[:2]
    short, long = min(height, width), max(height, width)
    longer = int(side * long / short)
    first = round((longer - side) / 2)
    size, corner = ((longer, side), (first, 0)) if width > height else ((side, longer), (0, first))
    if longer * side > _MOST_WHOLE_PIXELS:
        return _window(picture, size, corner, side)
    whole = Image.fromarray(picture).resize(size, Image.Resampling.BILINEAR)
    return np.asarray(whole.crop((*corner, corner[0] + side, corner[1] + side)))


def _window(picture: RgbArray, size: tuple[int, int], corner: tuple[int, int], side: int) -> RgbArray:
    """Return one square of the resized picture without making the rest of it."""
    height, width = picture.shape[:2]
    scales = width / size[0], height / size[1]
    ends = (corner[0] + side, corner[1] + side)
    box = tuple(place * scale for place, scale in zip((*corner, *ends), (*scales, *scales), strict=True))
    whole = Image.fromarray(picture)
    return np.asarray(
        whole.resize((side, side), Image.Resampling.BILINEAR, box=(box[0], box[1], box[2], box[3]))
    )
