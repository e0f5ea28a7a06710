"""Steps 2 and 3 of Earth Mover Similarity: from a picture to weighted patches."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import numpy as np

from i2s_metrics.functional.arrays import BoolArray, FloatArray, RgbArray
from i2s_metrics.functional.ems.resample import PATCH
from i2s_metrics.functional.ems.rules import Rules

#: Pixels of a patch.
PIXELS = PATCH * PATCH
#: Weight of background beside 1 for everything else, for patches and for pixels alike.
_BACKGROUND_WEIGHT = 0.001


@dataclass(frozen=True, slots=True)
class PatchSet:
    """The patches of a picture, row by row.

    Attributes:
        grey: Values in [0, 1], shape (patches, 64), pixels row by row.
        background: Which pixels count as background, the same shape. It follows from ``grey``.
        weight: Of each patch; positive, of sum 1.
        position: (row / rows, column / columns) of each patch, shape (patches, 2).
    """

    grey: FloatArray
    background: BoolArray
    weight: FloatArray
    position: FloatArray

    @classmethod
    def of(cls, picture: RgbArray, colour: tuple[int, int, int], rules: Rules) -> Self:
        """Cut a picture, padded right and bottom with ``colour`` to multiples of 8, into patches."""
        height, width, _ = picture.shape
        rows, columns = math.ceil(height / PATCH), math.ceil(width / PATCH)
        padded = np.empty((rows * PATCH, columns * PATCH, 3), np.uint8)
        padded[:] = colour
        padded[:height, :width] = picture
        tiles = padded.reshape(rows, PATCH, columns, PATCH, 3).swapaxes(1, 2).reshape(-1, PIXELS, 3)
        background = rules.background_pixels(tiles, colour)
        weight = np.where(rules.background_patches(background, colour), _BACKGROUND_WEIGHT, 1.0)
        row, column = np.divmod(np.arange(rows * columns), columns)
        return cls(
            grey=rules.grey(tiles),
            background=background,
            weight=weight / weight.sum(),
            position=np.stack([row / rows, column / columns], axis=1),
        )

    @property
    def blank(self) -> BoolArray:
        """Which patches are background throughout."""
        return np.asarray(self.background.all(axis=1))

    @property
    def pixel_weight(self) -> FloatArray:
        """Weights of the pixels within their patch, shape (patches, 64); each row has sum 1."""
        weight = np.where(self.background, _BACKGROUND_WEIGHT, 1.0)
        normalised: FloatArray = weight / weight.sum(axis=1, keepdims=True)
        return normalised

    def keep(self, which: BoolArray) -> PatchSet:
        """Return the patches chosen, with the weights they have."""
        return PatchSet(self.grey[which], self.background[which], self.weight[which], self.position[which])
