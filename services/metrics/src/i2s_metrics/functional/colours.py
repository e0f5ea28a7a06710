"""The most frequent colour of pictures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from i2s_metrics.functional.arrays import RgbArray

#: Pixels that are looked at to guess which colour may be the majority.
_SAMPLE = 255


@dataclass(frozen=True, slots=True)
class ModalColour:
    """The most frequent colour and its share of all pixels, in (0, 1]."""

    rgb: tuple[int, int, int]
    share: float


def modal_colour(*pictures: RgbArray) -> ModalColour:
    """Return the most frequent colour of all pixels of the pictures together.

    Args:
        pictures: One or more, of shape (height, width, 3) and at least one pixel in all.

    Returns:
        The colour; of several equally frequent ones the smallest in lexical order of (R, G, B).
    """
    packed = np.concatenate([_pack(picture) for picture in pictures])
    # A colour that more than half of the pixels have can have no rival, so that counting it
    # is enough. Pages mostly have one, and sorting their pixels would cost far more.
    guess = _mode(packed[:: max(1, packed.size // _SAMPLE)])[0]
    count = int(np.count_nonzero(packed == guess))
    if 2 * count <= packed.size:
        guess, count = _mode(packed)
    return ModalColour((guess >> 16, guess >> 8 & 255, guess & 255), count / packed.size)


def _pack(picture: RgbArray) -> NDArray[np.uint32]:
    """Return one number a pixel, whose order is the lexical order of the colours."""
    packed = picture[..., 0].astype(np.uint32)
    for channel in (1, 2):  # in place: pictures may be large
        packed <<= 8
        packed |= picture[..., channel]
    return packed.ravel()


def _mode(packed: NDArray[np.uint32]) -> tuple[int, int]:
    values, counts = np.unique(packed, return_counts=True)
    best = int(counts.argmax())  # the first of the greatest: the smallest colour
    return int(values[best]), int(counts[best])
