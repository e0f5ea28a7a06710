"""Profile ``reference``: blocks, answers and pages as Design2Code's released code has them, on our boxes.

Source: NoviScl/Design2Code 7a575e4, ``metrics/ocr_free_utils.py``, ``metrics/visual_score.py`` and
``prompting/gpt4v_utils.py``. The released code gives each element of 19 tags a colour of its own and every
element a transparent background, and takes the extent of that colour in another screenshot. So its blocks are

* of the 19 tags alone: a text belongs to the nearest of them around it, and without one it does not exist;
* also those that the image does not show because something lies in front of them or they have the colour of
  their ground, but none that ``visibility`` hides;
* one for each element, with all of its own texts joined by blanks.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from i2s_sdk.tasks.webpage.block_match import Block, Color
from i2s_sdk.tasks.webpage.layout import MOST_BLOCKS, MOST_CHARACTERS, MOST_LOOKS, ShownPage
from i2s_wire.render.site import ElementTree, PageBlock, PageLayout

#: The elements whose texts are seen.
TAGS = frozenset(
    {"p", "h1", "h2", "h3", "h4", "h5", "h6", "div", "span", "a", "b", "li", "table", "td", "th"}
    | {"button", "footer", "header", "figcaption"}
)
_NEAR = 4  # of each channel, for a pixel that has the colour of the letters
_MANY = 1 << 20  # pixels, from which on they are counted and not sorted
_HTML = re.compile(r"<html[^>]*>", re.IGNORECASE)
_FENCE, _LANGUAGE, _START, _END = "```", "html", "<!DOCTYPE", "</html>"


def released_page(layout: PageLayout, image: NDArray[np.uint8]) -> ShownPage:
    """Return the blocks of a page that the released code sees; elements are left out.

    Args:
        layout: As the renderer of pages returned it.
        image: Image of the page, RGB, of shape (height, width, 3).
    """
    owners = _owners(layout.tree)
    pixels = image.shape[1] / max(1.0, layout.width)
    seen: dict[int, list[PageBlock]] = {}
    characters, truncated = 0, layout.blocks_truncated or layout.tree.truncated
    for block in layout.blocks:
        owner = owners[block.element - 1] if block.element else 0
        if not owner or block.hidden or block.outside or min(block.width, block.height) <= 0:
            continue
        characters += len(block.text)
        if (owner not in seen and len(seen) >= MOST_BLOCKS) or characters > MOST_CHARACTERS:
            truncated = True
            break
        seen.setdefault(owner, []).append(block)
    blocks: list[Block] = []
    left = MOST_LOOKS * image.shape[0] * image.shape[1]
    for owner, parts in seen.items():
        colored = _colored(owner, parts)
        box = _pixels_of(colored[0], image, pixels)
        left -= box.shape[0] * box.shape[1]
        if left < 0:
            truncated = True
            break
        text = " ".join(part.text.strip().lower() for part in parts)
        blocks.append(Block(text, _extent(colored, layout), _color(colored[0], box)))
    return ShownPage(tuple(blocks), {}, truncated)


def _colored(owner: int, parts: list[PageBlock]) -> list[PageBlock]:
    """Return the texts of an element that have its own colour.

    Inner elements with a colour of their own keep it, so that the extent of the element lacks them.
    """
    own = next((part.color for part in parts if part.element == owner), parts[0].color)
    return [part for part in parts if part.element == owner or part.color == own]


def _extent(parts: list[PageBlock], layout: PageLayout) -> tuple[float, float, float, float]:
    places = [_place(part, layout) for part in parts]
    left, top = (min(place[side] for place in places) for side in (0, 1))
    right, bottom = (max(place[side] + place[side + 2] for place in places) for side in (0, 1))
    return left, top, right - left, bottom - top


def _owners(tree: ElementTree) -> list[int]:
    """Return for each element 1 + the index of the nearest one of the 19 tags, itself or around it; or 0."""
    owners: list[int] = []
    for index, (name, parent) in enumerate(zip(tree.name_of, tree.parent_of, strict=True)):
        own = tree.names[name] in TAGS
        owners.append(index + 1 if own else owners[parent - 1] if parent else 0)
    return owners


def _place(block: PageBlock, layout: PageLayout) -> tuple[float, float, float, float]:
    width, height = max(1.0, layout.width), max(1.0, layout.height)
    left, top = max(0.0, block.x / width), max(0.0, block.y / height)
    right, bottom = min(1.0, (block.x + block.width) / width), min(1.0, (block.y + block.height) / height)
    return left, top, max(0.0, right - left), max(0.0, bottom - top)


def _pixels_of(block: PageBlock, image: NDArray[np.uint8], pixels: float) -> NDArray[np.uint8]:
    """Return the part of an image in the box of a block."""
    left, top = (max(0, int(one * pixels)) for one in (block.x, block.y))
    right, bottom = (int(np.ceil(one * pixels)) for one in (block.x + block.width, block.y + block.height))
    return image[top:bottom, left:right]


def _color(block: PageBlock, box: NDArray[np.uint8]) -> Color:
    """Return the colour that its box has where the letters are: theirs, or what lies in front of them."""
    if not box.size:
        return 0.0, 0.0, 0.0
    kinds, counts = _kinds(box)
    most = int(kinds[counts.argmax()])
    ground = np.array([most >> 16, most >> 8 & 255, most & 255], float)
    shown = ground
    if block.color:
        red, green, blue, alpha = bytes.fromhex(block.color[1:])
        letters = ground + (np.array([red, green, blue], float) - ground) * (alpha / 255)
        if _has_near(kinds, letters):
            shown = letters
    return float(int(shown[0])), float(int(shown[1])), float(int(shown[2]))


def _kinds(box: NDArray[np.uint8]) -> tuple[NDArray[np.int32], NDArray[np.intp]]:
    """Return the colours of a box as numbers, ascending, and how many pixels have each."""
    codes = box[:, :, 0].astype(np.int32) << 16
    codes |= box[:, :, 1].astype(np.int32) << 8
    codes |= box[:, :, 2]
    if codes.size < _MANY:
        kinds, counts = np.unique(codes, return_counts=True)
        return kinds, counts
    of_all = np.bincount(codes.ravel(), minlength=1)
    kinds = np.flatnonzero(of_all).astype(np.int32)
    return kinds, of_all[kinds]


def _has_near(kinds: NDArray[np.int32], color: NDArray[np.float64]) -> bool:
    for shift, channel in zip((16, 8, 0), color, strict=True):
        part = kinds >> shift & 255
        kinds = kinds[(part >= channel - _NEAR) & (part <= channel + _NEAR)]
    return bool(len(kinds))


def cleaned(completion: str) -> str:
    """Return the HTML of a completion as the released code takes it out: one fence, declaration, end tag."""
    text = completion.strip()
    text = text[len(_FENCE) :].strip() if text.startswith(_FENCE) else text
    text = text[: -len(_FENCE)].strip() if text.endswith(_FENCE) else text
    text = text[len(_LANGUAGE) :].strip() if text.startswith(_LANGUAGE) else text
    _, start, rest = text.partition(_START)
    text = start + rest if start else text
    before, end, _ = text.partition(_END)
    return before + end


def wrapped(html: str) -> str:
    """Return a page; a text without an ``html`` element becomes a paragraph of one, as when it is scored."""
    return html if _HTML.search(html) else f"<html><body><p>{html}</p></body></html>"
