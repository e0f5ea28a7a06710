"""Facts of an image, and the limits that they must keep."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from i2s_collect.candidates import Dropped, Reason

if TYPE_CHECKING:
    from PIL import Image

#: Most of the pixels that may be white, and most that may have one color, by task.
LARGEST_SHARE = {"webpage": 0.95}

#: The same for every other task.
LARGEST_SHARE_DEFAULT = 0.99

#: Pixels of the longer side, at most.
LONGEST_SIDE = 8_000

#: Pixels of the shorter side, at least.
SHORTEST_SIDE = 16

#: Longer side by shorter side, at most.
LARGEST_ASPECT = 20.0

#: Digits that are kept of shares, so that stored values are short.
DIGITS = 6


def picture_values(image: Image.Image) -> dict[str, float]:
    """Return the facts of an image on which it is filtered.

    Transparent parts count as white. A pixel is white if its three channels are 255.

    Args:
        image: Image of any size and mode, with at least one pixel.

    Returns:
        ``width`` and ``height`` in pixels, ``aspect`` (longer by shorter side), ``white_share`` and
        ``color_share`` (part of the pixels, from 0 to 1, that are white and that have the most frequent
        color).
    """
    packed = _packed(image)
    _, counts = np.unique(packed, return_counts=True)
    white = np.count_nonzero(packed == 0xFFFFFF)
    return {
        "width": image.width,
        "height": image.height,
        "aspect": round(max(image.size) / min(image.size), DIGITS),
        "white_share": round(float(white) / packed.size, DIGITS),
        "color_share": round(float(counts.max()) / packed.size, DIGITS),
    }


def picture_fault(values: Mapping[str, float], task: str) -> Dropped | None:
    """Return why an image is left out of a data set, or None.

    Args:
        values: Values as ``picture_values`` returns them.
        task: Name of the task, which decides the limits of shares.
    """
    width, height = int(values["width"]), int(values["height"])
    if max(width, height) > LONGEST_SIDE:
        return Dropped(Reason.SIZE, f"{width} × {height} pixels, more than {LONGEST_SIDE} on a side")
    if min(width, height) < SHORTEST_SIDE:
        return Dropped(Reason.SIZE, f"{width} × {height} pixels, less than {SHORTEST_SIDE} on a side")
    if values["aspect"] > LARGEST_ASPECT:
        return Dropped(Reason.SIZE, f"{width} × {height} pixels, one side more than {LARGEST_ASPECT:g} times")
    largest = LARGEST_SHARE.get(task, LARGEST_SHARE_DEFAULT)
    if values["white_share"] > largest:
        return Dropped(Reason.BLANK, f"{values['white_share']:.2%} of the pixels are white")
    if values["color_share"] > largest:
        return Dropped(Reason.ONE_COLOR, f"{values['color_share']:.2%} of the pixels have one color")
    return None


def on_white(image: Image.Image) -> Image.Image:
    """Return an image in RGB, with white where it is transparent."""
    from PIL import Image

    if "A" not in image.getbands() and "transparency" not in image.info:
        return image.convert("RGB")
    own = image.convert("RGBA")
    paper = Image.new("RGBA", own.size, "white")
    return Image.alpha_composite(paper, own).convert("RGB")


def _packed(image: Image.Image) -> NDArray[np.uint32]:
    """Return the colors of all pixels, each as one number."""
    colors = np.asarray(on_white(image), dtype=np.uint32).reshape(-1, 3)
    return np.asarray((colors[:, 0] << 16) | (colors[:, 1] << 8) | colors[:, 2], dtype=np.uint32)
