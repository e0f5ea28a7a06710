"""Pairs of pictures: renderings that went wrong a little, as models make them."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageChops, ImageDraw

_REFERENCES = Path(__file__).parents[2] / "examples" / "references"


@dataclass(frozen=True, slots=True)
class EncodedPair:
    """Two PNG files of one size."""

    reference: bytes
    prediction: bytes


def warm_pairs(count: int) -> list[EncodedPair]:
    """Return different predictions for one reference."""
    reference = _pictures()[0]
    return [EncodedPair(_png(reference), _png(_changed(reference, number))) for number in range(count)]


def cold_pairs(count: int) -> list[EncodedPair]:
    """Return pairs in which no reference comes twice."""
    pictures = _pictures()
    references = [_stamped(pictures[number % len(pictures)], number) for number in range(count)]
    return [
        EncodedPair(_png(reference), _png(_changed(reference, number)))
        for number, reference in enumerate(references)
    ]


def _pictures() -> list[Image.Image]:
    return list(_opened())


def _opened() -> Iterator[Image.Image]:
    for path in sorted(_REFERENCES.glob("*.png")):
        with Image.open(path) as picture:
            yield picture.convert("RGB")


def _changed(picture: Image.Image, number: int) -> Image.Image:
    """Return the picture moved a little, with one box missing."""
    moved = ImageChops.offset(picture, 1 + number % 7, number % 3)
    left = (37 * number) % max(1, picture.width - 40)
    ImageDraw.Draw(moved).rectangle((left, 5, left + 30, 25), fill="white")
    return moved


def _stamped(picture: Image.Image, number: int) -> Image.Image:
    """Return the picture with a mark of its own."""
    marked = picture.copy()
    ImageDraw.Draw(marked).rectangle((0, 0, 4 + number, 6), fill=(number % 256, 80, 80))
    return marked


def _png(picture: Image.Image) -> bytes:
    encoded = io.BytesIO()
    picture.save(encoded, "PNG")
    return encoded.getvalue()
