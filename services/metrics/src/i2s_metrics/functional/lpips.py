"""Learned perceptual similarity: what goes into the network, and what its leaderboard refused."""

from __future__ import annotations

import numpy as np

from i2s_metrics.functional.arrays import RgbArray
from i2s_metrics.functional.bilinear import resize
from i2s_metrics.functional.errors import UndefinedError

#: Side of the square that is compared, in pixels.
SIDE = 256
_MIDDLE = 127.5


def lpips_input(picture: RgbArray) -> RgbArray:
    """Return a picture as the network takes it: all of it, as 256 by 256 pixels.

    Resized bilinear and antialiased; proportions are not kept.

    Args:
        picture: Shape (height, width, 3), any shape of at least one pixel.

    Returns:
        Shape (256, 256, 3), levels 0 to 255; the network reads them as 2 x / 255 - 1.

    Source:
        Image2Struct, appendix A; the size is that of HELM at commit 63754d05.
    """
    return resize(picture, SIDE)


def check_leaderboard_range(picture: RgbArray) -> None:
    """Refuse a picture that the leaderboard's LPIPS refused.

    Its program moves levels to [-1, 1] and hands them to a metric that accepts [0, 1] only, so that one
    channel of one pixel below the middle of the scale is enough for an exception.

    Args:
        picture: What ``lpips_input`` gave.

    Raises:
        UndefinedError: A level is below 127.5.

    Source:
        HELM at commit 63754d05.
    """
    if np.any(picture < _MIDDLE):
        raise UndefinedError("the leaderboard's lpips refuses pictures with a pixel darker than mid-grey")


def lpips_similarity(distance: float) -> float:
    """Return 1 - LPIPS."""
    return 1.0 - distance
