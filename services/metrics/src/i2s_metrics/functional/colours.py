"""The most frequent colour of images."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from i2s_metrics.functional.arrays import IntArray, RgbArray
from i2s_metrics.functional.compiled import compiled

#: Pixels that are looked at to guess a frequent colour.
_SAMPLE = 255
#: Colours are counted in two steps: by their upper 12 bits, and then by the lower 12.
_PART = 12
_LOW = (1 << _PART) - 1


@dataclass(frozen=True, slots=True)
class ModalColour:
    """The most frequent colour and its share of all pixels, in (0, 1]."""

    rgb: tuple[int, int, int]
    share: float


def modal_colour(*images: RgbArray) -> ModalColour:
    """Return the most frequent colour of all pixels of the images together.

    Args:
        images: One or more, of shape (height, width, 3) and at least one pixel in all.

    Returns:
        The colour; of several equally frequent ones the smallest in lexical order of (R, G, B).
    """
    flat = [pixels_of(image) for image in images]
    total = sum(len(pixels) for pixels in flat)
    guess = _frequent(flat, total)
    count = sum(_count_colour(pixels, guess) for pixels in flat)
    # A colour that more than half of the pixels have can have no rival. Otherwise a rival has to
    # share its upper bits with as many pixels as the guess has.
    if 2 * count <= total:
        upper = np.zeros(_LOW + 1, np.int64)
        for pixels in flat:
            _count_upper(pixels, upper)
        upper[upper < count] = 0
        ends = np.cumsum(upper)
        lower = np.empty(ends[-1], np.uint16)
        following = np.where(upper > 0, ends - upper, -1)
        for pixels in flat:
            _sort_lower(pixels, following, lower)
        guess, count = _most_frequent(upper, ends, lower)
    return ModalColour((guess >> 16, guess >> 8 & 255, guess & 255), count / total)


def pixels_of(image: RgbArray) -> RgbArray:
    """Return the pixels of an image in the one form that the machine code is made for.

    Args:
        image: Shape (height, width, 3); it stays writable if it is.

    Returns:
        Shape (pixels, 3), contiguous and read-only.
    """
    pixels = np.ascontiguousarray(image).reshape(-1, 3)
    pixels.flags.writeable = False
    return pixels


def _frequent(flat: list[RgbArray], total: int) -> int:
    """Return a colour that is likely to be frequent, packed into one number in lexical order."""
    step = max(1, total // _SAMPLE)
    sample = np.concatenate([pixels[::step] for pixels in flat]).astype(np.int64)
    values, counts = np.unique(sample @ np.array([1 << 16, 1 << 8, 1]), return_counts=True)
    return int(values[counts.argmax()])


@compiled
def _packed(pixels: RgbArray, i: int) -> int:
    red, green, blue = pixels[i]
    return int(np.int64(red)) << 16 | int(np.int64(green)) << 8 | int(np.int64(blue))


@compiled
def _count_colour(pixels: RgbArray, colour: int) -> int:
    """Count the pixels that have the colour."""
    count = 0
    for i in range(len(pixels)):
        count += _packed(pixels, i) == colour
    return count


@compiled
def _count_upper(pixels: RgbArray, upper: IntArray) -> None:
    """Count pixels by their upper bits."""
    for i in range(len(pixels)):
        upper[_packed(pixels, i) >> _PART] += 1


@compiled
def _sort_lower(pixels: RgbArray, following: IntArray, lower: NDArray[np.uint16]) -> None:
    """Put the lower bits of pixels into the places of their upper bits.

    Args:
        pixels: All of an image.
        following: The next free place of each upper part; -1 for parts that are left out.
        lower: Filled.
    """
    for i in range(len(pixels)):
        packed = _packed(pixels, i)
        part = packed >> _PART
        place = following[part]
        if place >= 0:
            lower[place] = packed & _LOW
            following[part] = place + 1


@compiled
def _most_frequent(upper: IntArray, ends: IntArray, lower: NDArray[np.uint16]) -> tuple[int, int]:
    """Return the most frequent colour, of equals the smallest, and how often it is there."""
    counts = np.zeros(_LOW + 1, np.int32)
    best = colour = 0
    for part in range(len(upper)):
        if upper[part] <= best:
            continue
        pixels = lower[ends[part] - upper[part] : ends[part]]
        for low in pixels:
            count = counts[low] + 1
            counts[low] = count
            packed = part << _PART | int(np.int64(low))
            if count > best or (count == best and packed < colour):
                best, colour = count, packed
        counts[:] = 0
    return colour, best
