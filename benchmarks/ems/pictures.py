"""The pairs of images that are compared: text and dense ones, from 640 x 80 to 1920 x 1080."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import skimage.data
from PIL import Image, ImageDraw, ImageFont

from i2s_metrics.functional.arrays import RgbArray

_WORDS = (
    *("the", "of", "and", "to", "transport", "of", "mass", "between"),
    *("two", "patches", "costs", "no", "less", "than", "its", "dual"),
)


@dataclass(frozen=True, slots=True)
class Pair:
    """A prediction and a reference of one shape."""

    name: str  #: Short.
    dense: bool  #: Whether it fills its pages, as photographs do; else it is text on a background.
    prediction: RgbArray = field(repr=False)  #: Shape (height, width, 3).
    reference: RgbArray = field(repr=False)  #: The same shape.


def pairs(examples: Path, limit: int | None) -> list[Pair]:
    """Return the pairs, text and dense by turns.

    Args:
        examples: Folder of the example references, images of typeset TeX.
        limit: Number of pairs that are taken, the first ones; None takes all.
    """
    text: list[tuple[str, Callable[[], tuple[RgbArray, RgbArray]]]] = [
        ("equations", lambda: _typeset(examples, "equation-block-inverse", "equation-clipped-objective")),
        ("algorithms", lambda: _typeset(examples, "algorithm-beam-search", "algorithm-union-find")),
        ("tables", lambda: _typeset(examples, "table-retrieval", "table-transfer")),
        ("plots", lambda: _typeset(examples, "plot-calibration", "plot-convergence")),
        ("lines", lambda: (_page(1, 640, 80), _page(2, 640, 80))),
        ("pages", lambda: (_page(3, 1280, 1024), _page(4, 1280, 1024))),
        ("pages, dark", lambda: (_page(5, 1920, 1080, "#222"), _page(6, 1920, 1080, "#222"))),
        ("page, moved", lambda: _moved(_page(7, 1920, 1080))),
    ]
    dense: list[tuple[str, Callable[[], tuple[RgbArray, RgbArray]]]] = [
        ("photographs", lambda: (_photograph("coffee", 1920, 1080), _photograph("chelsea", 1920, 1080))),
        ("portrait", lambda: (_photograph("astronaut", 1280, 960), _photograph("rocket", 1280, 960))),
        ("textures", lambda: (_photograph("brick", 1024, 1024), _photograph("gravel", 1024, 1024))),
        ("gradients", lambda: (_gradient(1, 1920, 1080), _gradient(2, 1920, 1080))),
        ("gradients, low", lambda: (_gradient(3, 640, 80), _gradient(4, 640, 80))),
        ("noise", lambda: (_noise(1, 1280, 720), _noise(2, 1280, 720))),
        ("page for photo", lambda: (_page(8, 1280, 960), _photograph("coffee", 1280, 960))),
        ("photo, moved", lambda: _moved(_photograph("astronaut", 1280, 960))),
    ]
    kinds = [
        (name, kind, make) for row in zip(text, dense, strict=True) for kind, (name, make) in enumerate(row)
    ]
    return [Pair(name, bool(kind), *make()) for name, kind, make in kinds[:limit]]


def _typeset(examples: Path, *names: str) -> tuple[RgbArray, RgbArray]:
    images = [Image.open(examples / f"{name}.png").convert("RGB") for name in names]
    width, height = (max(image.size[axis] for image in images) for axis in (0, 1))
    first, second = (Image.new("RGB", (width, height), "white") for _ in images)
    first.paste(images[0])
    second.paste(images[1])
    return np.asarray(first), np.asarray(second)


def _page(seed: int, width: int, height: int, background: str = "#fff") -> RgbArray:
    rng = np.random.default_rng(seed)
    page = Image.new("RGB", (width, height), background)
    draw = ImageDraw.Draw(page)
    ink = "#111" if background == "#fff" else "#ddd"
    top = 12
    while top < height - 40:
        size = int(rng.integers(14, 36))
        font = ImageFont.load_default(size)
        line = " ".join(rng.choice(_WORDS, int(rng.integers(3, 22))))
        draw.text((int(rng.integers(12, 80)), top), line, fill=ink, font=font)
        top += int(1.5 * size)
        if rng.random() < 0.1:
            colour = "#{:02x}{:02x}{:02x}".format(*rng.integers(0, 256, 3))
            draw.rectangle((12, top, int(rng.integers(60, width - 12)), top + 60), fill=colour)
            top += 80
    return np.asarray(page)


def _photograph(name: str, width: int, height: int) -> RgbArray:
    image = Image.fromarray(getattr(skimage.data, name)()).convert("RGB")
    return np.asarray(image.resize((width, height), Image.Resampling.BICUBIC))


def _gradient(seed: int, width: int, height: int) -> RgbArray:
    left, right, top, bottom = np.random.default_rng(seed).integers(0, 256, 4)
    across, down = np.linspace(left, right, width), np.linspace(top, bottom, height)
    grey = np.add.outer(down, across) / 2
    return np.repeat(grey.astype(np.uint8)[..., None], 3, axis=2)


def _noise(seed: int, width: int, height: int) -> RgbArray:
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)


def _moved(image: RgbArray) -> tuple[RgbArray, RgbArray]:
    return np.roll(image, (9, 5), axis=(0, 1)), image
