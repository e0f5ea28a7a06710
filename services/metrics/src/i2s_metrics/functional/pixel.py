"""Pixel similarity: how many pixels agree, the background left out."""

from __future__ import annotations

import numpy as np

from i2s_metrics.functional.arrays import GreyArray, RgbArray
from i2s_metrics.functional.colours import modal_colour, pixels_of
from i2s_metrics.functional.compiled import compiled

#: Colours are the same where they differ by at most this share of the full scale.
TOLERANCE = 0.02
_FULL_SCALE = 255
#: The tolerance in whole levels of a channel.
_LEVELS = int(TOLERANCE * _FULL_SCALE)


def pixel_similarity(prediction: RgbArray, reference: RgbArray) -> float:
    """Return the share of pixels outside the common background whose colours agree.

    Two colours agree if each of R, G and B differs by at most 2 % of 255. The background is
    the most frequent colour of both images together; pixels that have it in both do not
    count. If no pixel counts, the images are the same and the value is 1.

    Args:
        prediction: Shape (height, width, 3).
        reference: The same shape.

    Returns:
        A value in [0, 1]; 1 for equal images. Symmetric.

    Source:
        Image2Struct, appendix A, equation 5 and the paragraph after it.
    """
    red, green, blue = modal_colour(prediction, reference).rgb
    agreeing, counting = _count(pixels_of(prediction), pixels_of(reference), red, green, blue)
    return agreeing / counting if counting else 1.0


@compiled
def _count(prediction: RgbArray, reference: RgbArray, red: int, green: int, blue: int) -> tuple[int, int]:
    """Count the pixels outside the common background: those that agree, and all of them.

    Args:
        prediction: Contiguous, shape (pixels, 3).
        reference: The same shape.
        red: Level of the background; so are the others.
        green: The same.
        blue: The same.
    """
    agreeing = counting = 0
    for i in range(len(reference)):
        # Signed and wide enough that a difference of levels does not wrap.
        p_red, p_green, p_blue = (
            np.int32(prediction[i, 0]),
            np.int32(prediction[i, 1]),
            np.int32(prediction[i, 2]),
        )
        r_red, r_green, r_blue = (
            np.int32(reference[i, 0]),
            np.int32(reference[i, 1]),
            np.int32(reference[i, 2]),
        )
        is_background = p_red == red and p_green == green and p_blue == blue
        if is_background and r_red == red and r_green == green and r_blue == blue:
            continue
        counting += 1
        is_near = abs(p_red - r_red) <= _LEVELS and abs(p_green - r_green) <= _LEVELS
        if is_near and abs(p_blue - r_blue) <= _LEVELS:
            agreeing += 1
    return agreeing, counting


def pixel_row_similarity(prediction: GreyArray, reference: GreyArray) -> float:
    """Return pixel similarity as the leaderboard computed it: over rows of grey pixels.

    The leaderboard's code expects colour pixels and was given grey images, so each row of the
    image is taken for one "pixel". A row matches if the Euclidean norm of the difference,
    taken in wrapping uint8, is at most 2 % of 255. Rows with a content that makes up more than a
    quarter of the rows of both images do not match, whichever image they are in.

    Args:
        prediction: Shape (height, width).
        reference: The same shape.

    Returns:
        Matching rows by height, in [0, 1]. Neither symmetric, nor 1 for equal images.

    Source:
        HELM at commit 63754d05.
    """
    height = len(reference)
    rows = [row.tobytes() for image in (prediction, reference) for row in image]
    counts: dict[bytes, int] = {}
    for row in rows:
        counts[row] = counts.get(row, 0) + 1
    frequent = np.array([4 * counts[row] > len(rows) for row in rows], bool)
    wrapped = (prediction - reference).astype(np.float64)
    near = np.linalg.norm(wrapped, axis=1) / _FULL_SCALE <= TOLERANCE
    matching = near & ~frequent[:height] & ~frequent[height:]
    return float(np.count_nonzero(matching) / height)
