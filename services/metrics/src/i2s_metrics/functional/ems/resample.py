"""Step 1 of Earth Mover Similarity: fewer pixels, so that there are at most about 100 patches."""

from __future__ import annotations

import math

import numpy as np
from PIL import Image

from i2s_metrics.functional.arrays import RgbArray
from i2s_metrics.functional.ems.rules import Rules
from i2s_metrics.functional.errors import UndefinedError

#: Side of a patch in pixels.
PATCH = 8
#: Pictures with more patches are made smaller.
MOST_PATCHES = 100
#: Patches in the only row of a picture so wide that one row is left: reached where it is more
#: than 655 times as wide as high. It bounds what a hostile picture can cost.
_MOST_COLUMNS = 256


def target_size(width: int, height: int, rules: Rules) -> tuple[int, int]:
    """Return the size at which pictures of ``width`` by ``height`` are compared.

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


def resample(picture: RgbArray, size: tuple[int, int]) -> RgbArray:
    """Return the picture at ``size`` (width, height), bicubic; itself if it has that size."""
    height, width, _ = picture.shape
    if (width, height) == size:
        return picture
    return np.asarray(Image.fromarray(picture).resize(size, Image.Resampling.BICUBIC))
