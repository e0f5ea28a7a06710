"""Pixel similarity: how many pixels agree, the background left out."""

from __future__ import annotations

import numpy as np

from i2s_metrics.functional.arrays import BoolArray, GreyArray, RgbArray
from i2s_metrics.functional.colours import modal_colour

#: Colours are the same where they differ by at most this share of the full scale.
TOLERANCE = 0.02
_FULL_SCALE = 255
#: The tolerance in whole levels of a channel.
_LEVELS = int(TOLERANCE * _FULL_SCALE)


def pixel_similarity(prediction: RgbArray, reference: RgbArray) -> float:
    """Return the share of pixels outside the common background whose colours agree.

    Two colours agree where each of R, G and B differs by at most 2 % of 255. The background is
    the most frequent colour of both pictures together; pixels that have it in both do not
    count. Where no pixel counts, the pictures are the same and the value is 1.

    Args:
        prediction: Shape (height, width, 3).
        reference: The same shape.

    Returns:
        A value in [0, 1]; 1 for equal pictures. Symmetric.

    Source:
        Image2Struct, appendix A, equation 5 and the paragraph after it.
    """
    background = np.array(modal_colour(prediction, reference).rgb, np.uint8)
    counting = ~(_all_channels(prediction == background) & _all_channels(reference == background))
    # uint8 without sign: the greater minus the smaller cannot wrap.
    difference = np.maximum(prediction, reference) - np.minimum(prediction, reference)
    agreeing = _all_channels(difference <= _LEVELS) & counting
    total = np.count_nonzero(counting)
    return float(np.count_nonzero(agreeing) / total) if total else 1.0


def pixel_row_similarity(prediction: GreyArray, reference: GreyArray) -> float:
    """Return pixel similarity as the leaderboard computed it: over rows of grey pixels.

    The leaderboard's code expects colour pixels and was given grey pictures, so each row of the
    picture is taken for one "pixel". A row matches where the Euclidean norm of the difference,
    taken in wrapping uint8, is at most 2 % of 255. Rows with a content that makes up more than a
    quarter of the rows of both pictures do not match, whichever picture they are in.

    Args:
        prediction: Shape (height, width).
        reference: The same shape.

    Returns:
        Matching rows by height, in [0, 1]. Neither symmetric, nor 1 for equal pictures.

    Source:
        HELM at commit 63754d05.
    """
    height = len(reference)
    rows = [row.tobytes() for picture in (prediction, reference) for row in picture]
    counts: dict[bytes, int] = {}
    for row in rows:
        counts[row] = counts.get(row, 0) + 1
    frequent = np.array([4 * counts[row] > len(rows) for row in rows], bool)
    wrapped = (prediction - reference).astype(np.float64)
    near = np.linalg.norm(wrapped, axis=1) / _FULL_SCALE <= TOLERANCE
    matching = near & ~frequent[:height] & ~frequent[height:]
    return float(np.count_nonzero(matching) / height)


def _all_channels(flags: BoolArray) -> BoolArray:
    # Faster than a reduction over an axis of length three.
    return flags[..., 0] & flags[..., 1] & flags[..., 2]
