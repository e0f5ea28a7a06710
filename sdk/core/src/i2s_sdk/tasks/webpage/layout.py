"""What a browser laid out of a page and its image shows, as JSON, and the scores of two such pages.

Places and colours come out of the process that ran the page. So a block counts only if the pixels of its box
in the image have its letters: something of its colour on something else.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from i2s_sdk.json_text import read_json
from i2s_sdk.tasks.webpage.block_match import Block, Color, Run
from i2s_sdk.tasks.webpage.text_runs import ShownText, runs_of
from i2s_wire.render.site import ElementTree, PageBlock, PageLayout

#: The most blocks of a page that are compared, in the order of the document.
MOST_BLOCKS = 2000
#: The most characters of all their texts.
MOST_CHARACTERS = 65_536
#: The most distinct pairs of a name and the names of children.
MOST_SUBTREES = 3000
#: The most pixels in the boxes of blocks that are looked at, as a multiple of those of the image.
MOST_LOOKS = 20
_MOST_BLOCK = 1000  # characters of a block
_LONGEST_SUBTREE = 80  # characters; longer ones are known by their digest
_LEAST_PIXELS = 3
_LEAST_SHARE = 0.003  # of the pixels of a box, for letters
_LEAST_SIDE = 2.0  # pixels of a box
_LEAST_CONTRAST = 12.0  # distance of letters and ground in RGB
_LEAST_GROUND = 0.3  # of the pixels of a box that are not of the colour of its letters
_NEAR = 0.4  # of the way from ground to letters
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class ShownPage:
    """The blocks of a page that its image shows, and its elements."""

    #: In the order of the document; the texts of one element are one block.
    blocks: tuple[Block, ...]
    #: Elements with children, as name and names of children: how often each is there.
    subtrees: Mapping[str, int]
    #: Whether a bound left something out.
    truncated: bool = False
    #: Blocks that may be one; None if an earlier version stored the page, which kept none.
    runs: tuple[Run, ...] | None = ()


def shown_page(layout: PageLayout, image: NDArray[np.uint8]) -> ShownPage:
    """Return what a layout has that the image shows.

    Args:
        layout: As the renderer of pages returned it.
        image: Image of the page, RGB, of shape (height, width, 3).
    """
    pixels = image.shape[1] / max(1.0, layout.width)
    by_element: dict[int, Block] = {}
    index_of: dict[int, int] = {}
    texts: list[ShownText] = []
    characters, truncated = 0, layout.blocks_truncated or layout.tree.truncated
    left = MOST_LOOKS * image.shape[0] * image.shape[1]
    for number, page_block in enumerate(layout.blocks, start=1):
        box = _pixels_of(page_block, image, pixels)
        left -= len(box)
        if left < 0:
            truncated = True
            break
        color = _shown_color(page_block, box)
        if color is None:
            continue
        text = " ".join(page_block.text.lower().split())[:_MOST_BLOCK]
        characters += len(text)
        if len(by_element) >= MOST_BLOCKS or characters > MOST_CHARACTERS:
            truncated = True
            break
        place = (
            page_block.x / layout.width,
            page_block.y / layout.height,
            page_block.width / layout.width,
            page_block.height / layout.height,
        )
        block = Block(text, _within_page(place), color)
        element = page_block.element or -number  # a text whose element is not known is a block of its own
        known = by_element.get(element)
        by_element[element] = known.merged(block) if known else block
        box_of = (
            page_block.x,
            page_block.y,
            page_block.x + page_block.width,
            page_block.y + page_block.height,
        )
        index = index_of.setdefault(element, len(index_of))
        texts.append(ShownText(text, box_of, color, index, page_block.element))
    subtrees = sorted(subtrees_of(layout.tree).items())
    return ShownPage(
        tuple(by_element.values()),
        dict(subtrees[:MOST_SUBTREES]),
        truncated or len(subtrees) > MOST_SUBTREES,
        runs_of(texts, layout.tree, (layout.width, layout.height), _MOST_BLOCK, MOST_CHARACTERS),
    )


def _within_page(box: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
    left, top = (min(1.0, max(0.0, one)) for one in box[:2])
    right, bottom = (min(1.0, max(0.0, box[side] + box[side + 2])) for side in (0, 1))
    return left, top, max(0.0, right - left), max(0.0, bottom - top)


def _pixels_of(block: PageBlock, image: NDArray[np.uint8], pixels: float) -> NDArray[np.uint8]:
    """Return the pixels in the box of a block, of shape (number, 3); none if it says that it is not shown."""
    if block.hidden or block.covered or block.outside or min(block.width, block.height) < _LEAST_SIDE:
        return image[:0].reshape(-1, 3)
    left, top = (max(0, int(one * pixels)) for one in (block.x, block.y))
    right, bottom = (int(np.ceil(one * pixels)) for one in (block.x + block.width, block.y + block.height))
    return image[top:bottom, left:right].reshape(-1, 3)


def _shown_color(block: PageBlock, box: NDArray[np.uint8]) -> Color | None:
    """Return the colour of the letters of a block, None if its pixels do not show them."""
    if not len(box):
        return None
    codes = box.astype(np.uint32) @ np.array([65536, 256, 1], np.uint32)
    kinds, counts = np.unique(codes, return_counts=True)
    most = int(kinds[counts.argmax()])
    ground = np.array([most >> 16, most >> 8 & 255, most & 255], float)
    own = np.stack([kinds >> 16, kinds >> 8 & 255, kinds & 255], axis=1).astype(float) - ground
    if block.color:
        red, green, blue, alpha = bytes.fromhex(block.color[1:])
        letters = (np.array([red, green, blue], float) - ground) * (alpha / 255)
    else:
        letters = own[(own**2).sum(axis=1).argmax()]
    length = float((letters**2).sum())
    if length < _LEAST_CONTRAST**2:
        # Letters have the most frequent colour if they are on a gradient or an image, or fill a tight box.
        other = (own**2).sum(axis=1) >= _LEAST_CONTRAST**2
        shown = int(counts[other].sum())
        if not block.color or shown < _LEAST_GROUND * len(box):
            return None
        color = ground
    else:
        along = own @ letters / length
        shown = int(counts[(along > _NEAR) & (along < 2)].sum())
        color = ground + letters
    if shown < max(_LEAST_PIXELS, _LEAST_SHARE * len(box)):
        return None
    return float(round(color[0])), float(round(color[1])), float(round(color[2]))


def subtrees_of(tree: ElementTree) -> Counter[str]:
    """Return the elements that have children as their name and those of the children: "ul(li,li)"."""
    children: dict[int, list[str]] = {}
    names = [tree.names[index] for index in tree.name_of]
    for name, parent in zip(names, tree.parent_of, strict=True):
        if parent:
            children.setdefault(parent - 1, []).append(name)
    return Counter(_short(f"{names[index]}({','.join(own)})") for index, own in children.items())


def _short(subtree: str) -> str:
    if len(subtree) <= _LONGEST_SUBTREE:
        return subtree
    return f"{subtree[:40]}#{hashlib.sha256(subtree.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def page_to_text(page: ShownPage) -> str:
    """Return a page as one line of JSON."""
    plain = {
        "blocks": [_plain_block(block) for block in page.blocks],
        "subtrees": dict(page.subtrees),
        "truncated": page.truncated,
        "runs": [[run.start, run.stop, *_plain_block(run.block)] for run in page.runs or ()],
    }
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _plain_block(block: Block) -> list[object]:
    return [block.text, *(round(side, 5) for side in block.box), *map(round, block.color)]


def page_from_text(text: str) -> ShownPage:
    """Return the page that ``page_to_text`` was given, with places rounded.

    Raises:
        ValueError: It is not such a text.
    """
    try:
        plain = read_json(text)
        blocks = tuple(_block_of(*block) for block in plain["blocks"])
        subtrees = {str(name): int(count) for name, count in plain["subtrees"].items()}
        runs = None
        if "runs" in plain:
            runs = tuple(
                Run(int(start), int(stop), _block_of(*block)) for start, stop, *block in plain["runs"]
            )
        if not all(0 <= run.start < run.stop <= len(blocks) for run in runs or ()):
            raise ValueError("a run of blocks that are not there")
        return ShownPage(blocks, subtrees, bool(plain["truncated"]), runs)
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError(f"no layout of a page: {error}") from None


def _block_of(
    said: object, x: float, y: float, width: float, height: float, red: float, green: float, blue: float
) -> Block:
    box = float(x), float(y), float(width), float(height)
    return Block(str(said), box, (float(red), float(green), float(blue)))


def tree_bleu(reference: Mapping[str, int], prediction: Mapping[str, int]) -> tuple[float, float]:
    """Return the share of the reference's distinct subtrees that the prediction has, and a precision.

    Source: WebCode2M (arXiv 2404.06369). The first is the paper's TreeBLEU, a recall, which its released code
    calls ``tree_rouge_1``. The second is what the code calls ``tree_bleu``: the share of the prediction's
    subtrees, each as often as it is there, that the reference has.
    """
    both = reference.keys() & prediction.keys()
    total = sum(prediction.values())
    return (
        len(both) / len(reference) if reference else 0.0,
        sum(prediction[one] for one in both) / total if total else 0.0,
    )


def text_f1(reference: Sequence[str], prediction: Sequence[str]) -> float:
    """Return the F1 of the words of texts in lower case, each counted as often as it is there."""
    ours, theirs = _words(prediction), _words(reference)
    total = ours.total() + theirs.total()
    return 2 * (ours & theirs).total() / total if total else 0.0


def _words(texts: Iterable[str]) -> Counter[str]:
    return Counter(word for text in texts for word in _WORD.findall(text))
