"""The most frequent colour of pictures."""

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


def modal_colour(*pictures: RgbArray) -> ModalColour:
    """Return the most frequent colour of all pixels of the pictures together.

    Args:
        pictures: One or more, of shape (height, width, 3) and at least one pixel in all.

    Returns:
        The colour; of several equally frequent ones the smallest in lexical order of (R, G, B).
    """
    flat = [_pixels(picture) for picture in pictures]
    total = sum(len(pixels) for pixels in flat)
    guess = _frequent(flat, total)
    upper = np.zeros(_LOW + 1, np.int64)
    count = sum(_count_upper(pixels, guess, upper) for pixels in flat)
    # A colour that more than half of the pixels have can have no rival. Otherwise a rival has to
    # share its upper bits with as many pixels as the guess has.
    if 2 * count <= total:
        upper[upper < count] = 0
        ends = np.cumsum(upper)
        lower = np.empty(ends[-1], np.uint16)
        following = ends - upper
        for pixels in flat:
            _sort_lower(pixels, upper, following, lower)
        guess, count = _most_frequent(upper, ends, lower)
    return ModalColour((guess >> 16, guess >> 8 & 255, guess & 255), count / total)


def _pixels(picture: RgbArray) -> RgbArray:
    pixels = np.ascontiguousarray(picture).reshape(-1, 3)
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
def _count_upper(pixels: RgbArray, colour: int, upper: IntArray) -> int:
    """Count pixels by their upper bits; return how many have the colour."""
    count = 0
    for i in range(len(pixels)):
        packed = _packed(pixels, i)
        upper[packed >> _PART] += 1
        count += packed == colour
    return count


@compiled
def _sort_lower(pixels: RgbArray, upper: IntArray, following: IntArray, lower: NDArray[np.uint16]) -> None:
    """Put the lower bits of pixels into the place of their upper bits, where these have one."""
    for i in range(len(pixels)):
        packed = _packed(pixels, i)
        part = packed >> _PART
        if upper[part]:
            lower[following[part]] = packed & _LOW
            following[part] += 1


@compiled
def _most_frequent(upper: IntArray, ends: IntArray, lower: NDArray[np.uint16]) -> tuple[int, int]:
    """Return the most frequent colour, of equals the smallest, and how often it is there."""
    counts = np.zeros(_LOW + 1, np.int64)
    best = colour = 0
    for part in range(len(upper)):
        if upper[part] <= best:
            continue
        pixels = lower[ends[part] - upper[part] : ends[part]]
        for low in pixels:
            counts[low] += 1
        for low in pixels:
            packed = part << _PART | int(np.int64(low))
            if counts[low] > best or (counts[low] == best and packed < colour):
                best, colour = counts[low], packed
        for low in pixels:
            counts[low] = 0
    return colour, best
