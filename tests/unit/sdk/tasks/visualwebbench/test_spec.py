"""What instances must hold."""

import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from i2s_sdk.data.check import check

BOXES = [[0.1 * number, 0.1, 0.1 * number + 0.05, 0.2] for number in range(8)]
GROUND = {"elem_desc": "the link", "options": BOXES}


def faults(folder: Path, task: str, inputs: dict[str, Any], target: Any) -> list[str]:
    Image.new("RGB", (64, 48)).save(folder / "a.png")
    line = {"id": "a", "task": task, "subset": "s", "inputs": {"image": "a.png", **inputs}, "target": target}
    (folder / "instances.jsonl").write_text(json.dumps(line) + "\n")
    return [one.message for one in check(folder).faults]


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
