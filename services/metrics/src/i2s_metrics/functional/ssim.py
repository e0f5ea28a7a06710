"""Structural similarity."""

from __future__ import annotations

from skimage.metrics import structural_similarity as _structural_similarity

from i2s_metrics.functional.arrays import GreyArray
from i2s_metrics.functional.errors import UndefinedError

#: Side of the window in pixels.
WINDOW = 7
_MARGIN = WINDOW // 2
#: Pixels that are looked at together, to bound the memory that the float64 maps take.
_BAND_PIXELS = 500_000


def structural_similarity(prediction: GreyArray, reference: GreyArray) -> float:
    """Return the mean structural similarity of two grey pictures, moved to [0, 1].

    (s + 1) / 2, where s is scikit-image's ``structural_similarity`` with its defaults (uniform
    window of 7 by 7 pixels, sample covariance) and data range 255.

    Args:
        prediction: Shape (height, width).
        reference: The same shape.

    Returns:
        A value in [0, 1]; 1 for equal pictures. Symmetric.

    Raises:
        UndefinedError: A side is shorter than the window.

    Source:
        Image2Struct, appendix A; Z. Wang et al., "Image quality assessment: from error
        visibility to structural similarity", 2004, equation 13.
    """
    height, width = reference.shape
    if min(height, width) < WINDOW:
        raise UndefinedError(
            f"ssim needs pictures of at least {WINDOW}x{WINDOW} pixels; these have {width}x{height}"
        )
    if width > height:
        return structural_similarity(prediction.T, reference.T)  # bands along the longer side
    # The mean runs over the pixels whose whole window lies inside, so bands that overlap by the
    # margin on both sides give every such pixel once, with the value it has in the whole.
    rows = max(1, _BAND_PIXELS // width)
    total = 0.0
    for first in range(_MARGIN, height - _MARGIN, rows):
        last = min(first + rows, height - _MARGIN)
        band = slice(first - _MARGIN, last + _MARGIN)
        total += (last - first) * _mean(prediction[band], reference[band])
    mean: float = total / (height - 2 * _MARGIN)
    return (mean + 1) / 2


def _mean(prediction: GreyArray, reference: GreyArray) -> float:
    mean = _structural_similarity(prediction, reference, data_range=255)  # type: ignore[no-untyped-call]
    return float(mean)
