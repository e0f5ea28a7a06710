"""Texts of a page that belong together though they stand in elements of their own: lines and paragraphs.

Libraries that animate letters, and converters of documents, put each word or each letter into an element, and
prose has links and bold words. Where such texts follow one another on a line, or in a paragraph, they are a
run. Whether a run is compared as one text is decided by the comparison, see ``block_match.Run``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from i2s_sdk.tasks.webpage.block_match import Block, Color, Run
from i2s_wire.render.site import ElementTree

#: Elements that stand within a line, unless a style says otherwise.
_INLINE = frozenset(
    (
        *("a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em"),
        *("font", "i", "ins", "kbd", "label", "mark", "nobr", "q", "s", "samp", "small", "span", "strike"),
        *("strong", "sub", "sup", "time", "tt", "u", "var", "wbr"),
    )
)
_MOST_ANCESTORS = 30
# All are shares of the height of the lower one of two texts.
_ON_LINE = 0.5  # of it is beside the other text
_SPACE = 0.6  # between words of a line
_ACROSS, _DOWN = 1.0, 0.5  # between texts of a paragraph
_TALLER = 2.0  # a text that is so much taller than another has several lines


@dataclass(frozen=True, slots=True)
class ShownText:
    """A text node that the image shows."""

    #: In lower case.
    text: str
    #: Left, top, right and bottom in CSS pixels.
    box: tuple[float, float, float, float]
    color: Color
    #: Index of its block.
    block: int
    #: 1 + the index in the tree of its element; 0 if it is not known.
    element: int

    @property
    def height(self) -> float:
        """In CSS pixels."""
        return self.box[3] - self.box[1]


def runs_of(
    texts: Sequence[ShownText], tree: ElementTree, size: tuple[float, float], most: int, most_in_all: int
) -> tuple[Run, ...]:
    """Return the runs of texts of two or more blocks; of such in one another, the longer ones first.

    Args:
        texts: In the order of the document.
        tree: Their elements.
        size: Width and height of the page in CSS pixels.
        most: Characters of a run; of longer texts there is none.
        most_in_all: Characters of all runs.
    """
    parts: dict[int, int] = {}
    colors: dict[int, Color] = {}
    for text in texts:
        parts[text.block] = parts.get(text.block, 0) + 1
        colors[text.block] = _color([colors.get(text.block, text.color), text.color])
    runs: list[Run] = []
    stretches = {*_lines(texts), *_paragraphs(texts, tree)}
    for start, stop in sorted(stretches, key=lambda stretch: (stretch[0], -stretch[1])):
        own = texts[start:stop]
        blocks = sorted({shown_text.block for shown_text in own})
        joined = " ".join(shown_text.text for shown_text in own)
        whole = sum(parts[block] for block in blocks) == len(own)
        if whole and len(blocks) > 1 and len(joined) <= min(most, most_in_all):
            most_in_all -= len(joined)
            block = Block(joined, _box(own, size), _color([colors[one] for one in blocks]))
            runs.append(Run(blocks[0], blocks[-1] + 1, block))
    return tuple(runs)


def _lines(texts: Sequence[ShownText]) -> Iterator[tuple[int, int]]:
    """Yield where the texts begin and end that follow one another on a line."""
    start = 0
    for index in range(1, len(texts) + 1):
        if index == len(texts) or not _on_one_line(texts[index - 1], texts[index]):
            yield start, index
            start = index


def _on_one_line(one: ShownText, other: ShownText) -> bool:
    least = min(one.height, other.height)
    beside = min(one.box[3], other.box[3]) - max(one.box[1], other.box[1])
    gap = other.box[0] - one.box[2]
    same_height = max(one.height, other.height) <= _TALLER * least
    return same_height and beside >= _ON_LINE * least and -_SPACE * least <= gap <= _SPACE * least


def _paragraphs(texts: Sequence[ShownText], tree: ElementTree) -> Iterator[tuple[int, int]]:
    """Yield where the texts begin and end that follow one another closely in an element of several lines."""
    start, union = 0, texts[0].box if texts else (0.0, 0.0, 0.0, 0.0)
    around = [_container(text, tree) for text in texts]
    for index in range(1, len(texts) + 1):
        near = index < len(texts) and around[index] == around[start] and around[start] != 0
        if near:
            box, least = texts[index].box, min(texts[index - 1].height, texts[index].height)
            near = max(box[0] - union[2], union[0] - box[2]) <= _ACROSS * least
            near = near and max(box[1] - union[3], union[1] - box[3]) <= _DOWN * least
            union = _union(union, box)
        if not near:
            yield start, index
            start, union = index, texts[index].box if index < len(texts) else union


def _container(text: ShownText, tree: ElementTree) -> int:
    """Return the element whose lines a text is in: not one within a line, nor one of a single word."""
    element, steps = text.element, 0
    if element and " " not in text.text:
        element = tree.parent_of[element - 1]
    while element and tree.names[tree.name_of[element - 1]] in _INLINE and steps < _MOST_ANCESTORS:
        element, steps = tree.parent_of[element - 1], steps + 1
    return element


def _union(
    one: tuple[float, float, float, float], other: tuple[float, float, float, float]
) -> tuple[float, float, float, float]:
    return min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3])


def _box(texts: Sequence[ShownText], size: tuple[float, float]) -> tuple[float, float, float, float]:
    """Return the union of boxes as left, top, width and height in shares of the page."""
    union = texts[0].box
    for text in texts:
        union = _union(union, text.box)
    left, top, right, bottom = (
        min(1.0, max(0.0, side / size[index % 2])) for index, side in enumerate(union)
    )
    return left, top, right - left, bottom - top


def _color(colors: Sequence[Color]) -> Color:
    """Return the mean, as that of blocks that are merged is."""
    red, green, blue = (float(round(sum(part) / len(colors))) for part in zip(*colors, strict=True))
    return red, green, blue
