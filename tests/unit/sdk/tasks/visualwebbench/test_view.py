"""What reports show of samples."""

import json

from i2s_sdk.tasks.registry import task_spec
from i2s_sdk.tasks.view import ImageMark, ImageMarkKind, MarkedImage, ShownSample, TextPanel

BOXES = [[0.1, 0.1, 0.2, 0.2], [0.3, 0.3, 0.4, 0.4], [0.5, 0.5, 0.6, 0.6]]


def panels(task: str, structure: str | None, detail: dict[str, object]) -> tuple[object, ...]:
    view = task_spec(task).view
    assert view is not None
    return view(ShownSample("said", structure, structure is not None, {}, {"scorer": detail}))


def test_a_choice_is_shown_on_the_picture_with_gold_and_answer() -> None:
    found = panels("element_ground", "C", {"elem_desc": "the link", "options": BOXES, "target": 1})
    assert found == (
        TextPanel("Description", "the link"),
        MarkedImage(
            "Gold and answer",
            (
                ImageMark(ImageMarkKind.GOLD, (0.3, 0.3, 0.4, 0.4), "B"),
                ImageMark(ImageMarkKind.ANSWER, (0.5, 0.5, 0.6, 0.6), "C"),
            ),
        ),
        TextPanel("Gold", "B. [0.3, 0.3, 0.4, 0.4]"),
        TextPanel("Answer as read", "C"),
    )


def test_boxes_and_points_of_answers_are_shown_and_letters_beyond_the_choices_are_not() -> None:
    detail = {"instruction": "go", "options": BOXES[:1], "target": 0}
    for task, answer, box in (
        ("action_ground_box", [0.2, 0.2, 0.5, 0.5], (0.2, 0.2, 0.5, 0.5)),
        ("action_ground_point", [0.2, 0.3], (0.2, 0.3, 0.2, 0.3)),
    ):
        image = panels(task, json.dumps(answer), detail)[1]
        assert isinstance(image, MarkedImage)
        assert image.marks[-1] == ImageMark(ImageMarkKind.ANSWER, box)
        candidates = panels(task, None, {**detail, "options": BOXES})[1]
        assert isinstance(candidates, MarkedImage)
        assert [mark.kind for mark in candidates.marks] == [
            *[ImageMarkKind.CANDIDATE] * 2,
            ImageMarkKind.GOLD,
        ]
    for task, answer in (("action_ground", "Z"), ("action_ground", None), ("action_ground_box", None)):
        image = panels(task, answer, detail)[1]
        assert isinstance(image, MarkedImage)
        assert [mark.kind for mark in image.marks] == [ImageMarkKind.GOLD]


def test_choices_that_are_texts_are_listed_and_the_element_is_marked() -> None:
    found = panels("action_prediction", None, {"bbox": BOXES[0], "options": ["one", "two"], "target": 1})
    assert found == (
        MarkedImage("Gold and answer", (ImageMark(ImageMarkKind.SUBJECT, (0.1, 0.1, 0.2, 0.2)),)),
        TextPanel("Choices", "A. one\nB. two"),
        TextPanel("Gold", "B. two"),
        TextPanel("Answer as read", "none"),
    )


def test_texts_are_shown_with_all_golds() -> None:
    found = panels("webqa", "5", {"question": "How much?", "target": ["five", "5"]})
    assert found == (
        TextPanel("Question", "How much?"),
        TextPanel("Gold", "five\n5"),
        TextPanel("Answer as read", "5"),
    )


def test_a_sample_that_was_not_scored_has_no_panel() -> None:
    view = task_spec("web_caption").view
    assert view is not None
    assert view(ShownSample()) == ()
