"""Marks on the picture of a page: a red frame around one element, or eight frames with letters."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence

from PIL import Image, ImageDraw, ImageFont

from i2s_sdk.instances.images import decode_image
from i2s_sdk.tasks.visualwebbench.boxes import Box
from i2s_sdk.tasks.visualwebbench.letters import LETTERS
from i2s_wire.render.site import Element

_RED, _WHITE = (220, 0, 0), (255, 255, 255)
_LINE = 3  # pixels of a frame's line, drawn outside of the element
_TAG = 20  # side of the square with a letter


class NoRoomError(ValueError):
    """There is no place beside an element where a letter covers neither an element nor another letter."""


def ratios(element: Element, width: int, height: int) -> list[float]:
    """Return the box of an element as ratios of the picture, with four decimals."""
    left, top = element.x / width, element.y / height
    right, bottom = (element.x + element.width) / width, (element.y + element.height) / height
    return [round(one, 4) for one in (left, top, right, bottom)]


def framed(png: bytes, element: Element) -> bytes:
    """Return a picture with a red frame around an element."""
    image = decode_image(png).convert("RGB")
    _frame(ImageDraw.Draw(image), _pixels(element))
    return _png(image)


def lettered(png: bytes, elements: Sequence[Element], near: Sequence[Element] = ()) -> bytes:
    """Return a picture with a frame around each element and a letter beside it, A for the first.

    Args:
        png: The picture.
        elements: Elements to be lettered, at most eight; they do not overlap.
        near: Other elements of the page, over which no letter is drawn if another place is free.

    Raises:
        NoRoomError: A letter has no place.
    """
    image = decode_image(png).convert("RGB")
    draw = ImageDraw.Draw(image)
    boxes = [_pixels(one) for one in elements]
    font = ImageFont.load_default(_TAG - 4)
    others = [_pixels(one) for one in near if not any(_inside(box, _pixels(one)) for box in boxes)]
    tags: list[Box] = []
    for box in boxes:
        free = [one for one in _tags(box, image.size) if not _hit(one, (*boxes, *tags))]
        if not free:
            raise NoRoomError("no room for a letter")
        tags.append(next((one for one in free if not _hit(one, others)), free[0]))
    for box in boxes:
        _frame(draw, box)
    for letter, tag in zip(LETTERS, tags, strict=False):
        draw.rectangle((tag[0], tag[1], tag[2] - 1, tag[3] - 1), fill=_RED)
        middle = (tag[0] + tag[2]) / 2, (tag[1] + tag[3]) / 2
        draw.text(middle, letter, fill=_WHITE, font=font, anchor="mm")
    return _png(image)


def _tags(box: Box, size: tuple[int, int]) -> Iterator[Box]:
    """Yield the squares beside a box that lie in the picture, the usual place first."""
    left, top, right, bottom = box
    places = (
        (left - _LINE, top - _LINE - _TAG),
        (left - _LINE, bottom + _LINE),
        (left - _LINE - _TAG, top - _LINE),
        (left - _LINE - _TAG, (top + bottom - _TAG) / 2),
        (right + _LINE, top - _LINE),
        (right + _LINE - _TAG, top - _LINE - _TAG),
        (right + _LINE - _TAG, bottom + _LINE),
    )
    for x, y in places:
        if x >= 0 and y >= 0 and x + _TAG <= size[0] and y + _TAG <= size[1]:
            yield x, y, x + _TAG, y + _TAG


def _hit(tag: Box, boxes: Sequence[Box]) -> bool:
    return any(tag[0] < one[2] and one[0] < tag[2] and tag[1] < one[3] and one[1] < tag[3] for one in boxes)


def _inside(box: Box, outer: Box) -> bool:
    return outer[0] <= box[0] and outer[1] <= box[1] and box[2] <= outer[2] and box[3] <= outer[3]


def _pixels(element: Element) -> Box:
    left, top = round(element.x), round(element.y)
    return left, top, round(element.x + element.width), round(element.y + element.height)


def _frame(draw: ImageDraw.ImageDraw, box: Box) -> None:
    left, top, right, bottom = box
    around = (left - _LINE, top - _LINE, right + _LINE - 1, bottom + _LINE - 1)
    draw.rectangle(around, outline=_RED, width=_LINE)


def _png(image: Image.Image) -> bytes:
    content = io.BytesIO()
    image.save(content, "PNG", optimize=True)
    return content.getvalue()
