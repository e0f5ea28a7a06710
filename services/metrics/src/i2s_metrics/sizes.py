"""How two pictures of different size are made comparable."""

from __future__ import annotations

import numpy as np
from PIL import Image

from i2s_metrics.decode import check_pixels
from i2s_metrics.functional.arrays import RgbArray
from i2s_wire.metrics.score import SizePolicy

_WHITE = 255


def equalise(
    prediction: RgbArray, reference: RgbArray, policy: SizePolicy, most_pixels: int
) -> tuple[RgbArray, RgbArray]:
    """Return both pictures in one size.

    PAD: on each axis the smaller is padded with white, at right and bottom; both may be.
    RESIZE: the prediction is resized to the size of the reference, bicubic.

    Args:
        prediction: Shape (height, width, 3).
        reference: Shape (height, width, 3), with any other height and width.
        policy: The policy.
        most_pixels: Maximum number of pixels of the common size.

    Raises:
        BadImageError: The common size has more pixels.
    """
    if policy is SizePolicy.RESIZE:
        return _resized(prediction, reference.shape[1], reference.shape[0]), reference
    height = max(prediction.shape[0], reference.shape[0])
    width = max(prediction.shape[1], reference.shape[1])
    check_pixels((width, height), most_pixels)
    return _padded(prediction, width, height), _padded(reference, width, height)


def _resized(picture: RgbArray, width: int, height: int) -> RgbArray:
    if picture.shape[:2] == (height, width):
        return picture
    return np.asarray(Image.fromarray(picture).resize((width, height), Image.Resampling.BICUBIC))


def _padded(picture: RgbArray, width: int, height: int) -> RgbArray:
    if picture.shape[:2] == (height, width):
        return picture
    padded = np.full((height, width, 3), _WHITE, np.uint8)
    padded[: picture.shape[0], : picture.shape[1]] = picture
    return padded
