"""The rules of Earth Mover Similarity in which the two profiles differ."""

from __future__ import annotations

from fractions import Fraction
from typing import Protocol

import numpy as np
from scipy.spatial.distance import cdist

from i2s_metrics.functional.arrays import BoolArray, FloatArray, RgbArray
from i2s_metrics.functional.colours import modal_colour

#: Weights of R, G and B in grey, in thousandths.
_LUMA = (299, 587, 114)
#: The same in levels, as the released code has them.
_WEIGHTS = (0.299, 0.587, 0.114)
_FULL_LUMA = 255_000
_BLACK_OR_WHITE = ((0, 0, 0), (255, 255, 255))


class Rules(Protocol):
    """A rule book: grey, background, distance of positions, one-colour images, and the range."""

    #: Whether the result is clipped to [0, 1].
    clips: bool
    #: Least number of patch rows where a wide image would be reduced to none; 0: undefined.
    least_rows: int

    def grey(self, rgb: RgbArray) -> FloatArray:
        """Return grey values in [0, 1], of the shape of ``rgb`` without its last axis."""
        ...

    def background_pixels(self, rgb: RgbArray, colour: tuple[int, int, int]) -> BoolArray:
        """Return which pixels count as background in steps 4 and 6."""
        ...

    def background_patches(self, background: BoolArray, colour: tuple[int, int, int]) -> BoolArray:
        """Return which patches get the small weight of step 3.

        Args:
            background: Pixels that count as background, shape (patches, 64).
            colour: The background.
        """
        ...

    def position_distances(self, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return the distances of step 6 between positions, shape (positions of a, positions of b)."""
        ...

    def blank_levels(self, reference: RgbArray) -> tuple[int, ...]:
        """Return the levels of the one-colour images of step 8, 0 or 255; the larger distance counts."""
        ...


class PaperRules:
    """The definition of the paper on the patches of the released code.

    Background is what lies within half a grey level, and the result is clipped. Grey is computed in whole
    thousandths of a level, so that comparisons are exact.
    """

    clips = True
    least_rows = 1
    _half_level = 500

    def grey(self, rgb: RgbArray) -> FloatArray:
        """Return 0.299 R + 0.587 G + 0.114 B over 255."""
        return luma(rgb) / _FULL_LUMA

    def background_pixels(self, rgb: RgbArray, colour: tuple[int, int, int]) -> BoolArray:
        """Return the pixels whose grey is at most half a level from that of the background."""
        away = np.abs(luma(rgb) - luma(np.array(colour, np.uint8)))
        return np.asarray(away <= self._half_level)

    def background_patches(self, background: BoolArray, colour: tuple[int, int, int]) -> BoolArray:
        """Return the patches that are background throughout."""
        del colour
        return np.asarray(background.all(axis=1))

    def position_distances(self, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return Euclidean distances, as in equation 3."""
        return np.asarray(cdist(a, b, "euclidean"), np.float64)

    def blank_levels(self, reference: RgbArray) -> tuple[int, ...]:
        """Return black and white, as in equation 4."""
        del reference
        return (0, 255)


class HelmRules:
    """The algorithm as the leaderboard's program ran it.

    Pixels are scaled to [0, 1] in float32, the background in float64, and the two greys are
    compared in float32: all greys agree with themselves, about a quarter of the chromatic
    colours do not. The weight of a patch is found by comparing in float64, where nothing but
    black and white agrees with itself.
    """

    clips = False
    least_rows = 0
    #: References whose most frequent colour is darker than this grey level are compared with white.
    _dark = 127.0

    def grey(self, rgb: RgbArray) -> FloatArray:
        """Return grey in float32 precision."""
        return _weighted((rgb / 255).astype(np.float32)).astype(np.float32).astype(np.float64)

    def background_pixels(self, rgb: RgbArray, colour: tuple[int, int, int]) -> BoolArray:
        """Return the pixels whose grey equals that of the background in float32."""
        grey = np.float32(_weighted(np.array(colour) / 255))
        return np.asarray(self.grey(rgb) == grey)

    def background_patches(self, background: BoolArray, colour: tuple[int, int, int]) -> BoolArray:
        """Return the patches that are background throughout, if that is black or white."""
        if colour in _BLACK_OR_WHITE:
            return np.asarray(background.all(axis=1))
        return np.zeros(len(background), bool)

    def position_distances(self, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return L1 distances."""
        return np.asarray(cdist(a, b, "cityblock"), np.float64)

    def blank_levels(self, reference: RgbArray) -> tuple[int, ...]:
        """Return white if the most frequent colour of the full-size reference is dark, else black.

        111 colours have a grey of exactly 127. The released code takes 40 of them, mid-grey among them, for
        darker, because its matrix product rounds.
        """
        return (255 if _rounded_grey(modal_colour(reference).rgb) < self._dark else 0,)


PAPER: Rules = PaperRules()
HELM: Rules = HelmRules()


def luma(rgb: RgbArray) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """Return grey in thousandths of a level, 0 to 255000, without the last axis."""
    red, green, blue = (rgb[..., channel].astype(np.int64) for channel in range(3))
    return _LUMA[0] * red + _LUMA[1] * green + _LUMA[2] * blue


def _rounded_grey(colour: tuple[int, int, int]) -> float:
    """Return the grey of a colour as a product of float64 matrices with fused multiply-add has it.

    Each step is rounded once, from the exact sum of the last sum and the next product, as in AVX-512 kernels.
    """
    grey = 0.0
    for weight, level in zip(_WEIGHTS, colour, strict=True):
        grey = float(Fraction(weight) * level + Fraction(grey))
    return grey


def _weighted(scaled: np.ndarray[tuple[int, ...], np.dtype[np.floating]]) -> FloatArray:
    red, green, blue = (scaled[..., channel].astype(np.float64) for channel in range(3))
    weighted: FloatArray = _WEIGHTS[0] * red + _WEIGHTS[1] * green + _WEIGHTS[2] * blue
    return weighted
