"""Structural similarity."""

from __future__ import annotations

import numpy as np

from i2s_metrics.errors import UndefinedError
from i2s_metrics.functional.arrays import GreyArray, SumArray
from i2s_metrics.functional.compiled import compiled

#: Side of the window in pixels, where the images are large enough.
WINDOW = 7
#: Constants of equation 13, for levels from 0 to 255.
_C1, _C2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2


def structural_similarity(prediction: GreyArray, reference: GreyArray) -> float:
    """Return the mean structural similarity of two grey images, moved to [0, 1].

    (s + 1) / 2, where s is scikit-image's ``structural_similarity`` with its defaults (uniform
    window of 7 by 7 pixels, sample covariance) and data range 255. If a side is shorter than 7
    pixels, the side of the window is the largest odd number that fits. One pixel has no variance: with
    such a window s compares levels alone.

    Args:
        prediction: Shape (height, width), at least one pixel.
        reference: The same shape.

    Returns:
        A value in [0, 1]; 1 for equal images. Symmetric.

    Source:
        Image2Struct, appendix A; Z. Wang et al., "Image quality assessment: from error
        visibility to structural similarity", 2004, equation 13.
    """
    side = min(WINDOW, *reference.shape)
    window = side - (side + 1) % 2
    return (_mean_over_windows(_for_machine(prediction), _for_machine(reference), window) + 1) / 2


def _for_machine(image: GreyArray) -> GreyArray:
    """Return an image in the one form that the machine code is made for: contiguous and read-only."""
    view = np.ascontiguousarray(image).view()
    view.flags.writeable = False
    return view


@compiled
def _mean_over_windows(prediction: GreyArray, reference: GreyArray, window: int) -> float:
    """Return the mean structural similarity over all windows that lie inside of two grey images.

    Sums of levels, of their squares and of their products are kept for each column over the last rows, as
    many as a window has, and are integers: nothing is lost however large the image is.

    Args:
        prediction: Contiguous, shape (height, width).
        reference: The same shape.
        window: Side of the window, odd and at most height and width.
    """
    height, width = reference.shape
    count, places = window * window, width - window + 1
    # The factors of equation 13 are taken times count * count and count * (count - 1), so that no mean and no
    # variance is divided. One pixel does not vary: its second factor is 1 whatever the constant is.
    first, second = _C1 * count * count, _C2 * max(1, count * (count - 1))
    a, b, aa, bb, ab = np.zeros((5, width), np.int32)
    window_a, window_b, window_aa, window_bb, window_ab = np.zeros((5, places), np.int32)
    similarity = np.empty(places, np.float64)
    total = 0.0
    for row in range(height):
        enters_p, enters_r = prediction[row], reference[row]
        if row < window:
            for x in range(width):
                p, r = np.int32(enters_p[x]), np.int32(enters_r[x])
                a[x] += p
                b[x] += r
                aa[x] += p * p
                bb[x] += r * r
                ab[x] += p * r
        else:
            leaves_p, leaves_r = prediction[row - window], reference[row - window]
            for x in range(width):
                p, r = np.int32(enters_p[x]), np.int32(enters_r[x])
                q, s = np.int32(leaves_p[x]), np.int32(leaves_r[x])
                a[x] += p - q
                b[x] += r - s
                aa[x] += p * p - q * q
                bb[x] += r * r - s * s
                ab[x] += p * r - q * s
        if row < window - 1:
            continue
        _sum_windows(a, window_a, window)
        _sum_windows(b, window_b, window)
        _sum_windows(aa, window_aa, window)
        _sum_windows(bb, window_bb, window)
        _sum_windows(ab, window_ab, window)
        for x in range(places):
            p, r = window_a[x], window_b[x]
            squares = p * p + r * r
            products = p * r
            variances = count * (window_aa[x] + window_bb[x]) - squares
            covariance = count * window_ab[x] - products
            numerator = (2.0 * products + first) * (2.0 * covariance + second)
            similarity[x] = numerator / ((squares + first) * (variances + second))
        of_row = 0.0
        for x in range(places):
            of_row += similarity[x]
        total += of_row
    mean: float = total / ((height - window + 1) * places)
    return mean


@compiled
def _sum_windows(columns: SumArray, sums: SumArray, window: int) -> None:
    """Add up the sums of columns for each place of the window."""
    total = 0
    for x in range(window - 1):
        total += columns[x]
    for x in range(len(sums)):
        total += columns[x + window - 1]
        sums[x] = total
        total -= columns[x]


def check_leaderboard_size(image: GreyArray) -> None:
    """Check that the leaderboard's program has a value for images of this shape.

    Raises:
        UndefinedError: A side is shorter than the window, which that program does not shrink.
    """
    height, width = image.shape
    if min(height, width) < WINDOW:
        raise UndefinedError(
            f"ssim needs pictures of at least {WINDOW}x{WINDOW} pixels; these have {width}x{height}"
        )
