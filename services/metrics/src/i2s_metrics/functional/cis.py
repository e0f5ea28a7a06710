"""Cosine similarity of Inception vectors: what goes into the network, and what is made of its vectors."""

from __future__ import annotations

import math

from i2s_metrics.functional.arrays import RgbArray
from i2s_metrics.functional.bilinear import resize, resize_and_crop
from i2s_metrics.functional.errors import UndefinedError

#: Side of the square that the network takes, in pixels.
SIDE = 299


def cis_input(picture: RgbArray) -> RgbArray:
    """Return a picture as the network takes it: all of it, as 299 by 299 pixels.

    Resized bilinear and antialiased; proportions are not kept.

    Args:
        picture: Shape (height, width, 3), any shape of at least one pixel.

    Returns:
        Shape (299, 299, 3), levels 0 to 255; the network reads them with ImageNet's mean and deviation.

    Source:
        Image2Struct, section 2.2.
    """
    return resize(picture, SIDE)


def cis_input_of_leaderboard(picture: RgbArray) -> RgbArray:
    """Return a picture as the leaderboard's program gave it to the network: resized and cropped.

    The shorter side becomes 299, bilinear and antialiased; of the longer one the central 299 pixels are
    kept, so that the ends of a long picture do not count.

    Args:
        picture: Shape (height, width, 3), any shape of at least one pixel.

    Returns:
        Shape (299, 299, 3), levels 0 to 255.

    Source:
        HELM at commit 63754d05.
    """
    return resize_and_crop(picture, SIDE)


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
