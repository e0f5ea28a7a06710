"""Steps 1 to 3 of Earth Mover Similarity: from an image to at most about 100 weighted patches."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from PIL import Image

from i2s_metrics.errors import UndefinedError
from i2s_metrics.functional.arrays import BoolArray, FloatArray, IntArray, RgbArray
from i2s_metrics.functional.ems.rules import Rules

#: Side of a patch in pixels.
PATCH = 8
#: Images with more patches are made smaller.
MOST_PATCHES = 100
#: Patches in the only row of an image so wide that one row is left: reached where it is more
#: than 655 times as wide as high. It bounds what a hostile image can cost.
_MOST_COLUMNS = 256


def target_size(width: int, height: int, rules: Rules) -> tuple[int, int]:
    """Return the size at which images of ``width`` by ``height`` are compared.

    With n = ⌈W/8⌉·⌈H/8⌉ > 100 patches: d = √(n/100), W' = ⌈(W/8)/d⌉·8, H' = ⌊100/(W'/8)⌋·8;
    else the size as it is.

    Raises:
        UndefinedError: H' would be 0 and the rules have no remedy.
    """
    patches = math.ceil(width / PATCH) * math.ceil(height / PATCH)
    if patches <= MOST_PATCHES:
        return width, height
    columns = math.ceil(width / PATCH / math.sqrt(patches / MOST_PATCHES))
    rows = max(MOST_PATCHES // columns, rules.least_rows)
    if not rows:
        raise UndefinedError(
            f"ems reduces pictures to {MOST_PATCHES} patches, which leaves a height of 0 for one of "
            f"{width}x{height} pixels"
        )
    return min(columns, _MOST_COLUMNS) * PATCH, rows * PATCH


def resample(image: RgbArray, size: tuple[int, int]) -> RgbArray:
    """Return the image at ``size`` (width, height), bicubic; itself if it has that size."""
    height, width, _ = image.shape
    if (width, height) == size:
        return image
    return np.asarray(Image.fromarray(image).resize(size, Image.Resampling.BICUBIC))


#: Pixels of a patch.
PIXELS = PATCH * PATCH
#: Masses of background and of everything else, for patches and for pixels alike. Whole numbers, so
#: that equal shares are equal however they were computed.
_BACKGROUND_MASS, _MASS = 1, 1000


@dataclass(frozen=True, slots=True)
class PatchSet:
    """The patches of an image, row by row."""

    #: Values in [0, 1], shape (patches, 64), pixels row by row.
    grey: FloatArray
    #: Whether each pixel counts as background, the same shape. It follows from ``grey``.
    background: BoolArray
    #: Mass of each patch; positive. Its weight is its share of ``total``.
    mass: IntArray
    #: (row / rows, column / columns) of each patch, shape (patches, 2).
    position: FloatArray
    #: Mass of all patches of the image, whether they are still here or not.
    total: int

    @classmethod
    def of(cls, image: RgbArray, colour: tuple[int, int, int], rules: Rules) -> Self:
        """Cut an image, padded right and bottom with ``colour`` to multiples of 8, into patches."""
        height, width, _ = image.shape
        rows, columns = math.ceil(height / PATCH), math.ceil(width / PATCH)
        padded = np.empty((rows * PATCH, columns * PATCH, 3), np.uint8)
        padded[:] = colour
        padded[:height, :width] = image
        tiles = padded.reshape(rows, PATCH, columns, PATCH, 3).swapaxes(1, 2).reshape(-1, PIXELS, 3)
        background = rules.background_pixels(tiles, colour)
        mass = _masses(rules.background_patches(background, colour))
        row, column = np.divmod(np.arange(rows * columns), columns)
        return cls(
            grey=rules.grey(tiles),
            background=background,
            mass=mass,
            position=np.stack([row / rows, column / columns], axis=1),
            total=int(mass.sum()),
        )

    @property
    def blank(self) -> BoolArray:
        """Which patches are background throughout."""
        return np.asarray(self.background.all(axis=1))

    @property
    def pixel_mass(self) -> IntArray:
        """Masses of the pixels, shape (patches, 64); the weight of one is its share of its patch."""
        return _masses(self.background)

    def keep(self, which: BoolArray) -> PatchSet:
        """Return the patches chosen, with the weights they have."""
        return PatchSet(
            self.grey[which], self.background[which], self.mass[which], self.position[which], self.total
        )


def _masses(background: BoolArray) -> IntArray:
    return np.where(background, np.int64(_BACKGROUND_MASS), np.int64(_MASS))
