"""Boxes and points."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_sdk.tasks.structure import NoStructure
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
    none = NoStructure("the answer has no box [x1, y1, x2, y2]")
    assert read_box(answer, Profile.HELM) == (released or none)
    assert read_box(answer, Profile.PAPER) == (read or none)


RIGHT = (0.1, 0.1, 0.5, 0.6)
BOX, DRAFT = "[0.1, 0.1, 0.5, 0.6]", "[0.7, 0.7, 0.9, 0.9]"


@pytest.mark.parametrize(
    "answer",
    [
        f'```json\n{{"bbox_2d": {BOX}, "label": "Sign in"}}\n```',
        f"[{BOX}]",
        f"<box>{BOX}</box>",
        "<box>(0.1, 0.1), (0.5, 0.6)</box>",
        "<box>(0.1,0.1)(0.5,0.6)</box>",
        "[[0.1, 0.1], [0.5, 0.6]]",
        f"Maybe {DRAFT}.\n{BOX}",
        f"Draft: {DRAFT}\nFinal answer: {BOX}",
        f"It is not {DRAFT} but {BOX}.",
        f"{DRAFT} is the logo. So the answer is {BOX}.",
        f"The bounding box is {DRAFT}. Wait, it is {BOX}.",
        f"{BOX} is the button; the logo is at {DRAFT}.",
        f"The answer is {DRAFT}. Correction: the answer is {BOX}.",
        f"The box is {BOX}. Again: {BOX}",
    ],
)
def test_the_box_that_an_answer_settles_on_is_read(answer: str) -> None:
    assert read_box(answer, Profile.PAPER) == RIGHT


@pytest.mark.parametrize(
    "answer",
    [
        f"{BOX} or {DRAFT}",
        f"[{BOX}, {DRAFT}]",
        f'[{{"bbox_2d": {BOX}, "label": "one"}}, {{"bbox_2d": {DRAFT}, "label": "two"}}]',
        f"The button is at {BOX}, the logo is at {DRAFT}.",
    ],
)
def test_different_boxes_without_a_conclusion_are_no_answer(answer: str) -> None:
    said = NoStructure("the answer names 2 boxes without a conclusion")
    assert read_box(answer, Profile.PAPER) == said
    assert read_box(answer, Profile.HELM) == RIGHT


def test_points_are_read() -> None:
    assert read_point("Click at [0.25, 0.5].", Profile.HELM) == (0.25, 0.5)
    none = NoStructure("the answer has no point [x, y]")
    assert read_point("(1, 0)", Profile.HELM) == none
    assert read_point("(1, 0)", Profile.PAPER) == (1.0, 0.0)
    assert read_point("[0.1, 0.2, 0.3, 0.4]", Profile.PAPER) == none
    assert read_point("Not [0.9, 0.9]. Click [0.25, 0.5].", Profile.PAPER) == (0.25, 0.5)
    assert read_point('{"point_2d": [0.25, 0.5], "label": "link"}', Profile.PAPER) == (0.25, 0.5)
    several = NoStructure("the answer names 2 points without a conclusion")
    assert read_point("[0.25, 0.5] or [0.9, 0.9]", Profile.PAPER) == several


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
