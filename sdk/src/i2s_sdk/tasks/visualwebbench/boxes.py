"""Boxes and points in answers, and how they are compared with the gold box.

Coordinates are ratios of the width and the height of the picture, counted from its upper left corner: x to
the right, y down. A box is (x1, y1, x2, y2), a point (x, y).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from i2s_wire.metrics.profile import Profile

Box = tuple[float, float, float, float]
Point = tuple[float, float]

#: A box answers correctly from this intersection over union on.
LEAST_IOU = 0.5

_DECIMAL = r"\s*(-?\d{1,32}\.\d{1,32})\s*"
_NUMBER = r"\s*(-?(?:\d{1,32}(?:\.\d{0,32})?|\.\d{1,32}))\s*"


def _patterns(number: str, count: int) -> tuple[re.Pattern[str], ...]:
    numbers = ",".join([number] * count)
    return re.compile(rf"\[{numbers}\]"), re.compile(rf"\({numbers}\)")


_BOX = {Profile.HELM: _patterns(_DECIMAL, 4), Profile.PAPER: _patterns(_NUMBER, 4)}
_POINT = {Profile.HELM: _patterns(_DECIMAL, 2), Profile.PAPER: _patterns(_NUMBER, 2)}


def read_box(answer: str, profile: Profile) -> Box | None:
    """Return the box of an answer, or None if it has none.

    It is the first four numbers in brackets, else the first in parentheses, with commas between them. To
    ``helm`` each number has a decimal point; ``paper`` takes whole numbers too, and orders the corners.

    Args:
        answer: What the model said.
        profile: How it is read.
    """
    found = _first(answer, _BOX[profile])
    if found is None:
        return None
    x1, y1, x2, y2 = found
    if profile is Profile.HELM:
        return x1, y1, x2, y2
    return min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)


def read_point(answer: str, profile: Profile) -> Point | None:
    """Return the point of an answer, or None if it has none; numbers are read as those of boxes.

    Args:
        answer: What the model said.
        profile: How it is read.
    """
    found = _first(answer, _POINT[profile])
    return None if found is None else (found[0], found[1])


def _first(answer: str, patterns: Sequence[re.Pattern[str]]) -> tuple[float, ...] | None:
    for pattern in patterns:
        found = pattern.search(answer)
        if found is not None:
            return tuple(map(float, found.groups()))
    return None


def area(box: Box) -> float:
    """Return the area of a box; 0 for one whose corners are in the wrong order."""
    return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])


def intersection(one: Box, other: Box) -> float:
    """Return the area that two boxes share."""
    shared = max(one[0], other[0]), max(one[1], other[1]), min(one[2], other[2]), min(one[3], other[3])
    return area(shared)


def iou(one: Box, other: Box) -> float:
    """Return the intersection over union of two boxes, from 0 to 1; 0 if neither has an area.

    Ratios and pixels give the same value, since both sides of a box are scaled alike.
    """
    common = intersection(one, other)
    union = area(one) + area(other) - common
    return common / union if union > 0 and math.isfinite(union) else 0.0


def contains(box: Box, point: Point) -> bool:
    """Return whether a point lies in a box; its edges belong to the box."""
    return box[0] <= point[0] <= box[2] and box[1] <= point[1] <= box[3]
