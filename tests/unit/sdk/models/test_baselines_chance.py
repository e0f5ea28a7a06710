"""Answers by chance."""

from collections import Counter
from pathlib import Path

import pytest

from i2s_sdk.errors import ModelError
from i2s_sdk.instances.instance import Instance
from i2s_sdk.models import open_model
from questions import complete

BOXES = [[0.1 * number, 0.25, 0.1 * number + 0.05, 0.75] for number in range(8)]


def instance(identity: str, task: str = "element_ground") -> Instance:
    inputs = {"options": BOXES, "elem_desc": "a", "instruction": "b", "question": "c"}
    return Instance(identity, task, "s", Path("a.png"), inputs=inputs)


async def said(identity: str, task: str = "element_ground") -> str:
    return (await complete(open_model("baseline/chance"), instance(identity, task))).text


async def test_letters_are_the_same_at_every_run_and_each_comes_about_as_often() -> None:
    letters = [await said(str(number)) for number in range(800)]
    assert letters == [await said(str(number)) for number in range(800)]
    counts = Counter(letters)
    assert set(counts) == set("ABCDEFGH")
    assert all(60 <= count <= 140 for count in counts.values())


async def test_boxes_and_points_are_those_of_the_same_choice() -> None:
    x1, y1, x2, y2 = BOXES["ABCDEFGH".index(await said("a"))]
    assert await said("a", "element_ground_box") == f"[{x1:.6f}, {y1:.6f}, {x2:.6f}, {y2:.6f}]"
    assert await said("a", "action_ground_point") == f"[{(x1 + x2) / 2:.6f}, 0.500000]"


async def test_a_question_for_a_text_has_an_empty_answer() -> None:
    assert await said("a", "webqa") == ""


async def test_a_task_of_another_benchmark_has_no_choices() -> None:
    with pytest.raises(ModelError, match="task 'latex' has no choices"):
        await said("a", "latex")
