"""What instances must hold."""

import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from i2s_sdk.data.check import check
from i2s_sdk.tasks.ocr_page import OcrLine, OcrPage
from i2s_sdk.tasks.registry import TASKS
from i2s_sdk.tasks.visualwebbench.kinds import KINDS
from i2s_sdk.tasks.visualwebbench.spec import ANSWERERS

BOXES = [[0.1 * number, 0.1, 0.1 * number + 0.05, 0.2] for number in range(8)]
GROUND = {"elem_desc": "the link", "options": BOXES}


def faults(folder: Path, task: str, inputs: dict[str, Any], target: Any) -> list[str]:
    Image.new("RGB", (64, 48)).save(folder / "a.png")
    line = {"id": "a", "task": task, "subset": "s", "inputs": {"image": "a.png", **inputs}, "target": target}
    (folder / "instances.jsonl").write_text(json.dumps(line) + "\n")
    return [fault.message for fault in check(folder).faults]


@pytest.mark.parametrize(
    ("task", "inputs", "target"),
    [
        ("web_caption", {"website": "a"}, "A shop."),
        ("webqa", {"question": "Who?"}, ["me", "I"]),
        ("heading_ocr", {}, "Welcome"),
        ("element_ocr", {"bbox": [0, 0, 1, 0.5], "elem_desc": "a"}, "x"),
        ("element_ground", {**GROUND, "raw_image": "a.png"}, 7),
        ("action_prediction", {"bbox": [0, 0, 1, 1], "options": ["a"] * 8, "elem_desc": "x"}, 0),
        ("action_ground", {"instruction": "go", "options": BOXES}, 0),
        ("element_ground_box", GROUND, 0),
        ("action_ground_point", {"instruction": "go", "options": BOXES}, 0),
        ("web_caption", {}, None),
    ],
)
def test_what_is_whole_has_no_fault(tmp_path: Path, task: str, inputs: dict[str, Any], target: Any) -> None:
    assert faults(tmp_path, task, inputs, target) == []


@pytest.mark.parametrize(
    ("task", "inputs", "target", "fault"),
    [
        ("web_caption", {}, 7, "target: 7 is not of type 'string'"),
        ("web_caption", {}, " ..", "target: ' ..' has no word"),
        ("webqa", {"question": "Who?"}, ["me", ""], "target: '' has no word"),
        ("webqa", {}, ["me"], "inputs: 'question' is a required property"),
        ("webqa", {"question": "Who?"}, [], "target: [] should be non-empty"),
        ("element_ground", GROUND, 8, "target: 8 is greater than the maximum of 7"),
        ("element_ground", {"options": BOXES}, 0, "inputs: 'elem_desc' is a required property"),
        ("element_ground", {**GROUND, "options": BOXES[:3]}, 3, "target 3 names none of the 3 options"),
        (
            "element_ground",
            {**GROUND, "options": [[1, 2, 3]]},
            0,
            "inputs.options[0]: [1, 2, 3] is too short",
        ),
        ("element_ground", {**GROUND, "options": [[1, 2, 30, 40]]}, 0, "not pixels"),
        ("element_ground", {**GROUND, "raw_image": "b.png"}, 0, "raw_image 'b.png' is not a file"),
        ("element_ground_box", {"elem_desc": "a"}, 0, "inputs: 'options' is a required property"),
        ("action_prediction", {"bbox": [0, 0, 1, 1], "options": BOXES}, 0, "is not of type 'string'"),
        ("heading_ocr", {"colour": "red"}, "a", "'colour'"),
    ],
)
def test_what_is_wrong_is_named(
    tmp_path: Path, task: str, inputs: dict[str, Any], target: Any, fault: str
) -> None:
    (found,) = faults(tmp_path, task, inputs, target)
    assert fault in found


PAGE = OcrPage(
    200,
    100,
    (255, 255, 255),
    (
        OcrLine("Home", 10, 5, 30, 15),
        OcrLine("Contact us", 40, 5, 80, 15),
        OcrLine("Welcome to the shop", 10, 20, 150, 50),
        OcrLine('Open "daily"', 10, 60, 80, 70),
        OcrLine("The price is 5 crowns", 10, 80, 120, 90),
    ),
)
EMPTY = OcrPage(200, 100, (255, 255, 255), ())
OPTIONS = [[0.0, 0.0, 0.18, 0.2], [0.18, 0.0, 0.5, 0.2], [0.0, 0.2, 1.0, 0.55]]


@pytest.mark.parametrize(
    ("task", "inputs", "said", "nothing"),
    [
        (
            "web_caption",
            {},
            '<meta name="description" content="Welcome to the shop Open \'daily\' The price is 5 crowns">',
            '<meta name="description" content="">',
        ),
        ("heading_ocr", {}, "Welcome to the shop", ""),
        ("webqa", {"question": "What is the price?"}, "The price is 5 crowns", ""),
        (
            "element_ocr",
            {"bbox": [0.0, 0.5, 1.0, 1.0]},
            'The text content within the red bounding box is: Open "daily" The price is 5 crowns',
            "The text content within the red bounding box is: ",
        ),
        ("element_ground", {"elem_desc": "the link “Contact us”", "options": OPTIONS}, "B", "A"),
        ("action_ground", {"instruction": "go home", "options": OPTIONS}, "A", "A"),
        (
            "action_prediction",
            {"bbox": OPTIONS[1], "options": ["The shop", "How to contact us", "Prices"]},
            "B",
            "A",
        ),
        ("element_ground_box", {"elem_desc": "Contact us"}, "[0.2000, 0.0500, 0.4000, 0.1500]", ""),
        ("action_ground_point", {"instruction": "go home"}, "[0.1000, 0.1000]", ""),
    ],
)
def test_the_lines_that_fit_are_the_answer(task, inputs, said, nothing):
    assert ANSWERERS[task](PAGE, inputs) == said
    assert ANSWERERS[task](EMPTY, inputs) == nothing


def test_every_task_has_an_answer():
    assert set(ANSWERERS) == {kind.name for kind in KINDS} <= set(TASKS)
