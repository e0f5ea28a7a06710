"""Which objects of a figure its image shows.

The objects come out of the process that ran a program, which can claim anything. Here they are compared with
the image: texts need ink where they are said to be, marks their colours where their data says, axes an object
that is shown or a visible frame. So what is not drawn, is transparent, has the colour of its background, is
covered by something else, or lies outside of the image is not shown, whatever the reason.

It is no recognition: ink of another text that is no shorter, or another thing of the colour of a mark that
runs where the mark is said to run, counts as it. A program that knows what to draw where can as well draw it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from i2s_sdk.tasks.chart.mark_evidence import shown_marks
from i2s_sdk.tasks.chart.pixels import Bools, Canvas, Floats, Ink, grounds, matching
from i2s_wire.render.figure import Axes, Figure, FigureText

#: The least part of the texts and marks of axes that are shown if the axes have no visible frame.
_LEAST_OBJECTS = 0.4
#: The most axes of one figure that are looked for; further ones are not shown.
_MOST_AXES = 500


@dataclass(frozen=True, slots=True)
class Unseen:
    """What of a figure its image does not show: numbers of objects, from 0, and names of colours."""

    axes: tuple[int, ...] = ()
    texts: tuple[int, ...] = ()
    marks: tuple[int, ...] = ()
    #: Colours of marks that no mark shows.
    colors: tuple[str, ...] = ()


#: The image shows everything.
NOTHING_UNSEEN = Unseen()


@np.errstate(all="ignore")  # what is not finite lies nowhere
def unseen_objects(figure: Figure, pixels: NDArray[np.uint8]) -> Unseen:
    """Return what of a figure its image does not show.

    Args:
        figure: The figure.
        pixels: The image, of shape (rows, columns, 3).
    """
    canvas = Canvas.of(figure, pixels)
    texts = shown_texts(canvas, figure.texts)
    marks, colors = shown_marks(canvas, figure)
    owned: defaultdict[int | None, list[bool]] = defaultdict(list)
    owners = (*(text.axes for text in figure.texts), *(mark.axes for mark in figure.marks))
    for owner, seen in zip(owners, (*texts, *marks), strict=True):
        owned[owner].append(seen)
    axes = [
        number < _MOST_AXES and (_are_mostly_shown(owned[number]) or _has_frame(canvas, axis))
        for number, axis in enumerate(figure.axes)
    ]
    return Unseen(_numbers(axes), _numbers(texts), _numbers(marks), tuple(sorted(colors)))


def _are_mostly_shown(objects: Sequence[bool]) -> bool:
    return bool(objects) and sum(objects) >= _LEAST_OBJECTS * len(objects)


def _numbers(seen: Sequence[bool]) -> tuple[int, ...]:
    return tuple(number for number, one in enumerate(seen) if not one)


#: The least height of a text that can be read, in pixels.
_LEAST_HEIGHT = 3.0
#: The least and the greatest part of the box of a text that is ink.
_LEAST_INK, _MOST_INK = 0.004, 0.9
#: How far around a text its image is looked at, in pixels, and which part of a column there may be ink.
_AROUND, _MOST_BEYOND = 4.0, 0.15
#: The least part of the pixels of ink that have two others beside them.
_LEAST_JOINED = 0.6
#: The least part of the box of a text that is a background.
_LEAST_GROUND = 0.08
#: The least number of letters of which the length and the strokes are looked at.
_FEWEST_LETTERS = 4
#: Strokes for each letter along a line, at least.
_LEAST_STROKES = 0.35
#: The least part of a text that is in the image.
_LEAST_PART = 0.3
#: The least part of a box that another text covers so that both cannot be read.
_STACKED = 0.75
#: Rotation of a text that is read from below, or from above.
_UPRIGHT = 90
#: The most texts of one figure that are looked for; further ones are not shown.
_MOST_TEXTS = 2000
#: Texts whose places are compared at once.
_AT_ONCE = 200


def shown_texts(canvas: Canvas, texts: Sequence[FigureText]) -> list[bool]:
    """Return for each text whether its image shows ink where it is said to be."""
    some = texts[:_MOST_TEXTS]
    shown = [
        not below and _is_shown(canvas, text, beside)
        for text, below, beside in zip(some, *_neighbours(canvas, some), strict=True)
    ]
    return shown + [False] * (len(texts) - len(some))


def _neighbours(canvas: Canvas, texts: Sequence[FigureText]) -> tuple[list[bool], list[bool]]:
    """Return which texts lie on an earlier one with other words, and which have another one beside them.

    The same ink cannot be two texts.
    """
    boxes: Floats = np.array([canvas.corners(text.box) for text in texts]).reshape(-1, 4)
    words = np.array([hash(text.text.strip()) for text in texts], dtype=np.int64)
    areas = np.maximum((boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1]), 1e-9)
    stacked: list[bool] = []
    crowded: list[bool] = []
    numbers = np.arange(len(texts))
    for first in range(0, len(texts), _AT_ONCE):
        part = slice(first, first + _AT_ONCE)
        ends = np.minimum(boxes[part, None, 2:], boxes[None, :, 2:])
        common = ends - np.maximum(boxes[part, None, :2], boxes[None, :, :2])
        over = np.maximum(common, 0).prod(axis=2) >= _STACKED * np.minimum(areas[part, None], areas[None, :])
        earlier = numbers[None, :] < numbers[part, None]
        stacked += (over & earlier & (words[part, None] != words[None, :])).any(axis=1).tolist()
        beside = (common > -_AROUND).all(axis=2) & (numbers[None, :] != numbers[part, None])
        crowded += beside.any(axis=1).tolist()
    return stacked, crowded


def _is_shown(canvas: Canvas, text: FigureText, crowded: bool) -> bool:
    left, top, right, bottom = canvas.corners(text.box)
    region = canvas.region(text.box, _AROUND)
    ink = Ink.of(text.color)
    lines = [line.strip() for line in text.text.split("\n") if line.strip()]
    if region.empty or ink is None or not lines or min(right - left, bottom - top) < _LEAST_HEIGHT:
        return False
    columns = min(right, canvas.whole.right) - max(left, 0)
    rows = min(bottom, canvas.whole.bottom) - max(top, 0)
    part = columns * rows / ((right - left) * (bottom - top))
    if part < _LEAST_PART:
        return False
    pixels = canvas.sample(region)
    inked = matching(pixels, ink, grounds(pixels, _LEAST_GROUND))
    if not _LEAST_INK <= inked.mean() <= _MOST_INK or not _is_joined(inked):
        return False
    turned = round(text.rotation) % 180
    if part < 0.95 or turned not in (0, _UPRIGHT) or pixels.shape[:2] != (region.height, region.width):
        return True  # cut off, oblique, or thinned out: where it begins and ends is not known
    sides = (left - region.left, right - region.left), (top - region.top, bottom - region.top)
    along, ends, across, edges = inked, sides[0], inked.T, sides[1]
    if turned == _UPRIGHT:
        along, ends, across, edges = across, edges, along, ends
    letters = max(len(_COMMAND.sub("", line)) for line in lines)
    blank = len(text.text) - len(text.text.strip(" "))
    slack = max(2.5, 0.3 * along.shape[0]) + 0.6 * along.shape[0] * blank
    if not _fits(along, *ends, slack):
        return False
    if not crowded and not (_is_apart(along, *ends) and _is_apart(across, *edges)):
        return False
    return letters < _FEWEST_LETTERS or _has_strokes(along, letters)


def _is_joined(inked: Bools) -> bool:
    """Return whether pixels of ink lie together, as they do in strokes."""
    wide = np.pad(inked, 1).astype(np.int64)
    rows, columns = inked.shape
    around = np.zeros_like(inked, dtype=np.int64)
    for down in range(3):
        for across in range(3):
            around += wide[down : down + rows, across : across + columns]
    return bool((around[inked] - 1 >= 2).mean() >= _LEAST_JOINED)


def _fits(inked: Bools, starts: float, ends: float, slack: float) -> bool:
    """Return whether ink begins and ends where a text does, given its ends along the columns."""
    first = max(0, int(starts))
    columns: Bools = np.any(inked, axis=0)
    within = np.flatnonzero(columns[first : int(np.ceil(ends))]) + first
    return bool(len(within) and within[0] <= starts + slack and within[-1] + 1 >= ends - slack)


def _is_apart(inked: Bools, starts: float, ends: float) -> bool:
    """Return whether there is a column without ink on each side of a text."""
    columns = inked.mean(axis=0)
    before, behind = columns[: max(0, round(starts) - 1)], columns[round(ends) + 1 :]
    return all(not len(side) or side.min() <= _MOST_BEYOND for side in (before, behind))


_COMMAND = re.compile(r"\\[A-Za-z]+|[{}$^_\s\u2212-]")


def _has_strokes(inked: Bools, letters: int) -> bool:
    """Return whether there are about as many strokes along a line as it has letters."""
    if inked.shape[1] / letters < 4:  # too small
        return True
    begun = inked[:, 1:] & ~inked[:, :-1]
    strokes = begun.sum(axis=1) + inked[:, 0]
    return bool(strokes.max() >= _LEAST_STROKES * letters)


#: Places along each side of a frame, and how far from it a line of one colour may be, in pixels.
_PLACES, _BESIDE = 24, 3


def _has_frame(canvas: Canvas, axes: Axes) -> bool:
    """Return whether an upright and a lying side of axes can be seen: a line, or another colour inside."""
    left, top, right, bottom = canvas.corners(axes.box)
    if not (right - left > 2 * _BESIDE and bottom - top > 2 * _BESIDE):
        return False
    along = np.linspace(0.08, 0.92, _PLACES)
    xs, ys = left + along * (right - left), top + along * (bottom - top)
    full = np.ones(_PLACES)
    sides = (
        (np.column_stack([full * left, ys]), (1, 0)),
        (np.column_stack([full * right, ys]), (1, 0)),
        (np.column_stack([xs, full * top]), (0, 1)),
        (np.column_stack([xs, full * bottom]), (0, 1)),
    )
    seen = [_is_edge(canvas, places, np.array(way)) for places, way in sides]
    return any(seen[:2]) and any(seen[2:])


def _is_edge(canvas: Canvas, places: Floats, way: NDArray[np.int64]) -> bool:
    rows = list(_beside(canvas, places, way))
    even = [float(np.mean(np.linalg.norm(row - middle, axis=1) <= 20)) >= 0.6 for row, middle in rows]
    middles = [middle for _, middle in rows]
    return any(
        even[one] and even[other] and np.linalg.norm(middles[one] - middles[other]) >= 5
        for one in range(len(rows))
        for other in range(one)
    )


def _beside(canvas: Canvas, places: Floats, way: NDArray[np.int64]) -> Iterator[tuple[Floats, Floats]]:
    """Yield the pixels along a side at each distance from it, with their median."""
    height, width = canvas.pixels.shape[:2]
    for distance in range(-_BESIDE, _BESIDE + 1):
        spots = np.floor(places + distance * way).astype(int)
        inside = (spots >= 0).all(axis=1) & (spots[:, 0] < width) & (spots[:, 1] < height)
        if inside.sum() >= _PLACES // 2:
            row = canvas.pixels[spots[inside, 1], spots[inside, 0]].astype(np.float64)
            yield row, np.median(row, axis=0)
