"""Boxes and points."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_sdk.tasks.visualwebbench.boxes import Box, contains, iou, read_box, read_point
from i2s_wire.metrics.profile import Profile


@pytest.mark.parametrize(
    ("answer", "released", "read"),
    [
        ("[0.1, 0.2, 0.3, 0.4]", (0.1, 0.2, 0.3, 0.4), (0.1, 0.2, 0.3, 0.4)),
        ("It is (0.1,0.2,0.3,0.4).", (0.1, 0.2, 0.3, 0.4), (0.1, 0.2, 0.3, 0.4)),
        ("(0.5, 0.5, 0.6, 0.6) or [0.1,0.2,0.3,0.4]", (0.1, 0.2, 0.3, 0.4), (0.1, 0.2, 0.3, 0.4)),
        ("[0.3, 0.4, 0.1, 0.2]", (0.3, 0.4, 0.1, 0.2), (0.1, 0.2, 0.3, 0.4)),
        ("[0, 0.2, 1, .4]", None, (0.0, 0.2, 1.0, 0.4)),
        ("[0.1, 0.2, 0.3]", None, None),
        ("0.1, 0.2, 0.3, 0.4", None, None),
        ("[0.1 0.2 0.3 0.4]", None, None),
        ("", None, None),
    ],
)
def test_boxes_are_read(answer: str, released: Box | None, read: Box | None) -> None:
    assert read_box(answer, Profile.HELM) == released
    assert read_box(answer, Profile.PAPER) == read


def test_points_are_read() -> None:
    assert read_point("Click at [0.25, 0.5].", Profile.HELM) == (0.25, 0.5)
    assert read_point("(1, 0)", Profile.HELM) is None
    assert read_point("(1, 0)", Profile.PAPER) == (1.0, 0.0)
    assert read_point("[0.1, 0.2, 0.3, 0.4]", Profile.PAPER) is None


SIDES = st.integers(0, 12)
BOXES = st.tuples(SIDES, SIDES, SIDES, SIDES).map(
    lambda one: (min(one[0], one[2]), min(one[1], one[3]), max(one[0], one[2]), max(one[1], one[3]))
)


def cells(box: tuple[int, int, int, int]) -> set[tuple[int, int]]:
    return {(x, y) for x in range(box[0], box[2]) for y in range(box[1], box[3])}


@given(BOXES, BOXES)
def test_the_intersection_over_union_is_that_of_the_cells(
    one: tuple[int, int, int, int], other: tuple[int, int, int, int]
) -> None:
    union = cells(one) | cells(other)
    wanted = len(cells(one) & cells(other)) / len(union) if union else 0.0
    assert iou(one, other) == pytest.approx(wanted)


def test_a_box_whose_corners_are_in_the_wrong_order_has_no_area() -> None:
    assert iou((0.5, 0.5, 0.1, 0.1), (0.1, 0.1, 0.5, 0.5)) == 0.0


def test_edges_belong_to_a_box() -> None:
    assert contains((0.1, 0.1, 0.5, 0.5), (0.1, 0.5))
    assert not contains((0.1, 0.1, 0.5, 0.5), (0.09, 0.5))
