"""How far two images differ."""

from __future__ import annotations

import io
from pathlib import Path

from PIL import Image, ImageChops, ImageStat


def image_difference(one: Path | bytes, other: Path | bytes) -> float | None:
    """Return the greatest mean difference of a channel of two images, in levels of 255.

    Args:
        one: File, or its content.
        other: The other file, or its content.

    Returns:
        0 if all pixels are equal; None if the sizes differ.
    """
    pair = [_opened(image) for image in (one, other)]
    if pair[0].size != pair[1].size:
        return None
    return float(max(ImageStat.Stat(ImageChops.difference(*pair)).mean))


def _opened(image: Path | bytes) -> Image.Image:
    with Image.open(io.BytesIO(image) if isinstance(image, bytes) else image) as opened:
        return opened.convert("RGB")
