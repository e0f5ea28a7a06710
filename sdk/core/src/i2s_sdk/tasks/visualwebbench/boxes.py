"""Boxes and points in answers, and how they are compared with the gold box.

Coordinates are ratios of the width and the height of the image, counted from its upper left corner: x to
the right, y down. A box is (x1, y1, x2, y2), a point (x, y).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from i2s_sdk.tasks.structure import NoStructure
from i2s_sdk.tasks.visualwebbench.conclusions import AnswerCandidate, conclusion
from i2s_wire.metrics.profile import Profile

Box = tuple[float, float, float, float]
Point = tuple[float, float]
_Forms = Mapping[Profile, tuple[re.Pattern[str], ...]]

#: A box answers correctly from this intersection over union on.
LEAST_IOU = 0.5

_DECIMAL = r"\s*(-?\d{1,32}\.\d{1,32})\s*"
_NUMBER = r"\s*(-?(?:\d{1,32}(?:\.\d{0,32})?|\.\d{1,32}))\s*"


def _patterns(number: str, count: int) -> tuple[re.Pattern[str], ...]:
    numbers = ",".join([number] * count)
    return re.compile(rf"\[{numbers}\]"), re.compile(rf"\({numbers}\)")


def _corners(number: str) -> tuple[re.Pattern[str], ...]:
    """Return patterns of two points, one behind the other, as "(x1, y1), (x2, y2)"."""
    between = r"\s{0,8},?\s{0,8}"
    points = rf"\[{number},{number}\]", rf"\({number},{number}\)"
    return tuple(re.compile(point + between + point) for point in points)


_BOX = {Profile.HELM: _patterns(_DECIMAL, 4), Profile.PAPER: (*_patterns(_NUMBER, 4), *_corners(_NUMBER))}
_POINT = {Profile.HELM: _patterns(_DECIMAL, 2), Profile.PAPER: _patterns(_NUMBER, 2)}


def read_box(answer: str, profile: Profile) -> Box | NoStructure:
    """Return the box of an answer, or why it has none.

    ``helm``: the first four numbers in brackets, else the first in parentheses, with commas between them and
    a decimal point in each. ``paper``: whole numbers too, corners in any order, and two corners in brackets
    or parentheses each; of different boxes in the first of these forms that there is, the one that the answer
    settles on.

    Args:
        answer: What the model said.
        profile: How it is read.
    """
    read = _place(answer, _BOX, profile, "box [x1, y1, x2, y2]", "boxes")
    if isinstance(read, NoStructure):
        return read
    x1, y1, x2, y2 = read
    return x1, y1, x2, y2


def read_point(answer: str, profile: Profile) -> Point | NoStructure:
    """Return the point of an answer, or why it has none; it is read as a box is.

    Args:
        answer: What the model said.
        profile: How it is read.
    """
    read = _place(answer, _POINT, profile, "point [x, y]", "points")
    return read if isinstance(read, NoStructure) else (read[0], read[1])


def _place(
    answer: str, forms: _Forms, profile: Profile, asked: str, plural: str
) -> tuple[float, ...] | NoStructure:
    text = "\n" + answer
    for pattern in forms[profile]:
        first = pattern.search(text)
        if first is None:
            continue
        if profile is Profile.HELM:
            return tuple(map(float, first.groups()))
        read = conclusion(text, map(_candidate, pattern.finditer(text, first.start())))
        if read.value is None:
            different = len({*read.named, *read.excluded})
            return NoStructure(f"the answer names {different} {plural} without a conclusion")
        return read.value
    return NoStructure(f"the answer has no {asked}")


def _candidate(match: re.Match[str]) -> AnswerCandidate[tuple[float, ...]]:
    numbers = tuple(map(float, match.groups()))
    if len(numbers) == 4:
        x1, y1, x2, y2 = numbers
        numbers = min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)
    return AnswerCandidate(numbers, *match.span())


def area(box: Box) -> float:
    """Return the area of a box; 0 for one whose corners are in the wrong order."""
    return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])


def intersection(first: Box, other: Box) -> float:
    """Return the area that two boxes share."""
    shared = (
        max(first[0], other[0]),
        max(first[1], other[1]),
        min(first[2], other[2]),
        min(first[3], other[3]),
    )
    return area(shared)


def iou(first: Box, other: Box) -> float:
    """Return the intersection over union of two boxes, from 0 to 1; 0 if neither has an area.

    Ratios and pixels give the same value, since both sides of a box are scaled alike.
    """
    common = intersection(first, other)
    union = area(first) + area(other) - common
    return common / union if union > 0 and math.isfinite(union) else 0.0


def contains(box: Box, point: Point) -> bool:
    """Return whether a point lies in a box; its edges belong to the box."""
    return box[0] <= point[0] <= box[2] and box[1] <= point[1] <= box[3]
