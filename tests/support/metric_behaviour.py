"""What docs/metrics.md shows: references, and what is done to them.

``python tests/support/metric_behaviour.py`` draws the images of that page anew.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

ROOT = Path(__file__).parents[2]
IMAGES = ROOT / "tests" / "fidelity" / "data" / "images"

#: Heading in the page, and file of the recorded set.
REFERENCES = {"An equation": "eq_0", "A web page": "web_white_ref", "A dark web page": "web_dark222_ref"}


def moved(picture: np.ndarray, by: int) -> np.ndarray:
    """The content moved right; white comes in."""
    return np.concatenate([np.full_like(picture[:, :by], 255), picture[:, :-by]], axis=1)


CHANGES = {
    "the same": lambda picture: picture,
    "moved right by 1 px": lambda picture: moved(picture, 1),
    "moved right by 8 px": lambda picture: moved(picture, 8),
    "mirrored": lambda picture: np.ascontiguousarray(picture[:, ::-1]),
    "upside down": lambda picture: np.ascontiguousarray(picture[::-1]),
    "inverted": lambda picture: 255 - picture,
    "white": lambda picture: np.full_like(picture, 255),
    "black": np.zeros_like,
}


def load(name: str) -> np.ndarray:
    """An image of the recorded set."""
    with Image.open(IMAGES / f"{name}.png") as picture:
        return np.array(picture.convert("RGB"))


def sheet(reference: np.ndarray, columns: int, width: int) -> Image.Image:
    """All predictions of a reference, each above its name."""
    height = round(reference.shape[0] * width / reference.shape[1])
    label, gap = 20, 10
    rows = -(-len(CHANGES) // columns)
    paper = Image.new("RGB", (columns * (width + gap) + gap, rows * (height + label + gap) + gap), "#d8d8d8")
    draw, font = ImageDraw.Draw(paper), ImageFont.load_default(size=13)
    for place, (name, change) in enumerate(CHANGES.items()):
        x = gap + place % columns * (width + gap)
        y = gap + place // columns * (height + label + gap)
        small = Image.fromarray(change(reference)).resize((width, height), Image.Resampling.LANCZOS)
        paper.paste(small, (x, y))
        draw.text((x, y + height + 3), name, fill="black", font=font)
    return paper


def draw() -> None:
    """Write docs/images/metrics-*.png."""
    for name in REFERENCES.values():
        columns, width = (2, 420) if name == "eq_0" else (4, 210)
        picture = sheet(load(name), columns, width).quantize(64, dither=Image.Dither.NONE)
        picture.save(ROOT / "docs" / "images" / f"metrics-{name.replace('_', '-')}.png", optimize=True)


if __name__ == "__main__":
    draw()
