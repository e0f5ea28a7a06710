"""Similarities of features of networks, LPIPS and CIS: the input of the network, and the value that follows.

Images are reduced bilinearly, as torchvision does it to Pillow images. Pillow's ``resize`` with ``BILINEAR``
is antialiased: the triangle grows with the scale, so that every pixel of the original counts. torchvision's
``Resize`` calls it for Pillow images. ``resize`` and ``resize_and_crop`` have the same values without torch,
and without a memory that grows with the shape of the image.
"""

from __future__ import annotations

import math

import numpy as np
from PIL import Image

from i2s_metrics.errors import UndefinedError
from i2s_metrics.functional.arrays import RgbArray

#: A resized image of more pixels is never made as a whole.
_MOST_WHOLE_PIXELS = 4_000_000


def resize(image: RgbArray, side: int) -> RgbArray:
    """Return the whole image as a square.

    Args:
        image: Shape (height, width, 3), any shape of at least one pixel.
        side: Side of the square, in pixels.

    Returns:
        Shape (side, side, 3).
    """
    return np.asarray(Image.fromarray(image).resize((side, side), Image.Resampling.BILINEAR))


def resize_and_crop(image: RgbArray, side: int) -> RgbArray:
    """Return the central square of the image after its shorter side was resized to ``side``.

    The longer side becomes ``int(side * longer / shorter)``, as torchvision has it, and the square begins at
    ``int(round((longer - side) / 2))``.

    Args:
        image: Shape (height, width, 3), any shape of at least one pixel.
        side: Side of the square, in pixels.

    Returns:
        Shape (side, side, 3).
    """
    height, width = image.shape[:2]
    short, long = min(height, width), max(height, width)
    longer = int(side * long / short)
    first = round((longer - side) / 2)
    size, corner = ((longer, side), (first, 0)) if width > height else ((side, longer), (0, first))
    if longer * side > _MOST_WHOLE_PIXELS:
        return _window(image, size, corner, side)
    whole = Image.fromarray(image).resize(size, Image.Resampling.BILINEAR)
    return np.asarray(whole.crop((*corner, corner[0] + side, corner[1] + side)))


def _window(image: RgbArray, size: tuple[int, int], corner: tuple[int, int], side: int) -> RgbArray:
    """Return one square of the resized image without making the rest of it."""
    height, width = image.shape[:2]
    scales = width / size[0], height / size[1]
    ends = (corner[0] + side, corner[1] + side)
    box = tuple(place * scale for place, scale in zip((*corner, *ends), (*scales, *scales), strict=True))
    whole = Image.fromarray(image)
    return np.asarray(
        whole.resize((side, side), Image.Resampling.BILINEAR, box=(box[0], box[1], box[2], box[3]))
    )


#: Side of the square that is compared, in pixels.
LPIPS_SIDE = 256
_MIDDLE = 127.5


def lpips_input(image: RgbArray) -> RgbArray:
    """Return an image as the network takes it: all of it, as 256 by 256 pixels.

    Resized bilinear and antialiased; proportions are not kept.

    Args:
        image: Shape (height, width, 3), any shape of at least one pixel.

    Returns:
        Shape (256, 256, 3), levels 0 to 255; the network reads them as 2 x / 255 - 1.

    Source:
        Image2Struct, appendix A; the size is that of HELM at commit 63754d05.
    """
    return resize(image, LPIPS_SIDE)


def check_leaderboard_range(image: RgbArray) -> None:
    """Refuse an image that the leaderboard's LPIPS refused.

    Its program moves levels to [-1, 1] and hands them to a metric that accepts [0, 1] only, so that one
    channel of one pixel below the middle of the scale is enough for an exception.

    Args:
        image: What ``lpips_input`` gave.

    Raises:
        UndefinedError: A level is below 127.5.

    Source:
        HELM at commit 63754d05.
    """
    if np.any(image < _MIDDLE):
        raise UndefinedError("the leaderboard's lpips refuses pictures with a pixel darker than mid-grey")


def lpips_similarity(distance: float) -> float:
    """Return 1 - LPIPS."""
    return 1.0 - distance


#: Side of the square that the network takes, in pixels.
CIS_SIDE = 299


def cis_input(image: RgbArray) -> RgbArray:
    """Return an image as the network takes it: all of it, as 299 by 299 pixels.

    Resized bilinear and antialiased; proportions are not kept.

    Args:
        image: Shape (height, width, 3), any shape of at least one pixel.

    Returns:
        Shape (299, 299, 3), levels 0 to 255; the network reads them with ImageNet's mean and deviation.

    Source:
        Image2Struct, section 2.2.
    """
    return resize(image, CIS_SIDE)


def cis_input_of_leaderboard(image: RgbArray) -> RgbArray:
    """Return an image as the leaderboard's program gave it to the network: resized and cropped.

    The shorter side becomes 299, bilinear and antialiased; of the longer one the central 299 pixels are
    kept, so that the ends of a long image do not count.

    Args:
        image: Shape (height, width, 3), any shape of at least one pixel.

    Returns:
        Shape (299, 299, 3), levels 0 to 255.

    Source:
        HELM at commit 63754d05.
    """
    return resize_and_crop(image, CIS_SIDE)


def cis_similarity(cosine: float) -> float:
    """Return (1 + cos) / 2 of the cosine between two vectors.

    Raises:
        UndefinedError: There is no cosine, because a vector is zero.

    Source:
        Image2Struct, section 2.2, equation 1.
    """
    if not math.isfinite(cosine):
        raise UndefinedError("cis has no value where an Inception vector is zero")
    return 0.5 * (1.0 + min(1.0, max(-1.0, cosine)))
