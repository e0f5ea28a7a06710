"""What a program that only reads answers to the questions of VisualWebBench."""

import pytest

from i2s_sdk.tasks.ocr_page import OcrLine, OcrPage
from i2s_sdk.tasks.registry import TASKS
from i2s_sdk.tasks.visualwebbench.kinds import KINDS
from i2s_sdk.tasks.visualwebbench.ocr import ANSWERERS

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
