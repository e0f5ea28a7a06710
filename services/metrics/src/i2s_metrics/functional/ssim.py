"""Structural similarity."""

from __future__ import annotations

import numpy as np
from skimage.metrics import structural_similarity as _structural_similarity

from i2s_metrics.functional.arrays import GreyArray
from i2s_metrics.functional.errors import UndefinedError

#: Side of the window in pixels, where the pictures are large enough.
WINDOW = 7
#: Pixels that are looked at together, to bound the memory that the float64 maps take.
_BAND_PIXELS = 500_000
#: Constants of equation 13, for levels from 0 to 255.
_C1 = (0.01 * 255) ** 2


def structural_similarity(prediction: GreyArray, reference: GreyArray) -> float:
    """Return the mean structural similarity of two grey pictures, moved to [0, 1].

    (s + 1) / 2, where s is scikit-image's ``structural_similarity`` with its defaults (uniform
    window of 7 by 7 pixels, sample covariance) and data range 255. Where a side is shorter than 7
    pixels, the side of the window is the largest odd number that fits. One pixel has no variance: with
    such a window s compares levels alone.

    Args:
        prediction: Shape (height, width), at least one pixel.
        reference: The same shape.

    Returns:
        A value in [0, 1]; 1 for equal pictures. Symmetric.

    Source:
        Image2Struct, appendix A; Z. Wang et al., "Image quality assessment: from error
        visibility to structural similarity", 2004, equation 13.
    """
    height, width = reference.shape
    if width > height:
        return structural_similarity(prediction.T, reference.T)  # bands along the longer side
    window = min(WINDOW, width - (width + 1) % 2)
    margin = window // 2
    # The mean runs over the pixels whose whole window lies inside, so bands that overlap by the
    # margin on both sides give every such pixel once, with the value it has in the whole.
    rows = max(1, _BAND_PIXELS // width)
    total = 0.0
    for first in range(margin, height - margin, rows):
        last = min(first + rows, height - margin)
        band = slice(first - margin, last + margin)
        total += (last - first) * _mean(prediction[band], reference[band], window)
    mean: float = total / (height - 2 * margin)
    return (mean + 1) / 2


def check_leaderboard_size(picture: GreyArray) -> None:
    """Check that the leaderboard's program has a value for pictures of this shape.

    Raises:
        UndefinedError: A side is shorter than the window, which that program does not shrink.
    """
    height, width = picture.shape
    if min(height, width) < WINDOW:
        raise UndefinedError(
            f"ssim needs pictures of at least {WINDOW}x{WINDOW} pixels; these have {width}x{height}"
        )


def _mean(prediction: GreyArray, reference: GreyArray, window: int) -> float:
    if window == 1:
        a, b = prediction.astype(np.float64), reference.astype(np.float64)
        return float(np.mean((2 * a * b + _C1) / (a * a + b * b + _C1)))
    mean = _structural_similarity(prediction, reference, win_size=window, data_range=255)  # type: ignore[no-untyped-call]
    return float(mean)
