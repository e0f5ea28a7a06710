"""Questions, and the answer that knows the target."""

from pathlib import Path
from typing import Any

import pytest

from i2s_sdk.errors import DataError
from i2s_sdk.instances.instance import Content, Instance
from i2s_sdk.scoring.scorer import Scorable
from i2s_sdk.tasks.question import ImagePart, TextPart, prompt_texts
from i2s_sdk.tasks.registry import open_task, task_spec
from i2s_sdk.tasks.structure import NoStructure, Structure
from i2s_sdk.tasks.visualwebbench.kinds import KINDS, SEVEN
from i2s_sdk.tasks.visualwebbench.task import prompt
from i2s_wire.metrics.profile import Profile

BOXES = [[0.1 * number, 0.25, 0.1 * number + 0.0625, 0.5] for number in range(8)]
TEXTS = [f"page {number}" for number in range(8)]
BBOX = [0.1, 0.2, 0.3, 0.4]
TARGETS: dict[str, list[tuple[dict[str, Any], Any]]] = {
    "web_caption": [({}, "A shop."), ({}, 'Tea & "cake" <fresh>.\nDaily'), ({}, "Title: none")],
    "webqa": [({"question": "How much?"}, ["$5", "five"]), ({"question": "Which?"}, ["The"])],
    "heading_ocr": [({}, "Welcome. All"), ({}, "“Quoted”"), ({}, "'tis'")],
    "element_ocr": [({"bbox": BBOX}, "Open: 9 to 5"), ({"bbox": BBOX}, "x"), ({"bbox": BBOX}, '"Hi"')],
    "element_ground": [({"elem_desc": "a link", "options": BOXES}, 7)],
    "action_prediction": [({"bbox": BBOX, "options": TEXTS}, 0)],
    "action_ground": [({"instruction": "buy", "options": BOXES}, 3)],
    "element_ground_box": [({"elem_desc": "a link", "options": BOXES}, 0)],
    "element_ground_point": [({"elem_desc": "a link", "options": BOXES}, 5)],
    "action_ground_box": [({"instruction": "buy", "options": BOXES}, 7)],
    "action_ground_point": [({"instruction": "buy", "options": BOXES}, 1)],
}


def instance(task: str, inputs: dict[str, Any]) -> Instance:
    return Instance("a", task, "s", Path("a.png"), inputs=inputs)


@pytest.mark.parametrize("name", TARGETS)
def test_the_answer_that_knows_the_target_has_one_in_every_metric(name: str) -> None:
    for inputs, target in TARGETS[name]:
        task = open_task(name, Profile.PAPER)
        (question,) = task.questions(instance(name, inputs))
        answer = task_spec(name).answer(Content(target=target, inputs=inputs), question)
        structure = task.structure_from(answer)
        assert isinstance(structure, Structure)
        (scorer,) = task.scorers
        values = scorer.score(Scorable("a", structure.code, inputs, target))
        assert set(values.metrics.values()) == {1.0}
        released = open_task(name, Profile.HELM)
        read = released.structure_from(answer)
        assert isinstance(read, Structure)
        if target not in ("x", ["The"], '"Hi"'):  # faults of the released evaluation, or of its reading
            value = released.scorers[0].score(Scorable("a", read.code, inputs, target))
            assert value.metrics[task_spec(name).main_metric] == pytest.approx(1.0)


def test_every_task_is_asked_with_a_text_and_an_image_in_512_tokens() -> None:
    assert list(TARGETS) == [kind.name for kind in KINDS]
    assert list(TARGETS)[:7] == list(SEVEN)
    for name, ((inputs, _), *_) in TARGETS.items():
        (question,) = open_task(name).questions(instance(name, inputs))
        text, image = question.parts
        assert (type(text), image) == (TextPart, ImagePart(Path("a.png")))
        assert (question.max_tokens, question.vendor_order) == (512, True)
        assert len(open_task(name).prompt_texts()) == 1


def test_what_cannot_be_asked_is_named() -> None:
    with pytest.raises(DataError, match="'a' lacks the input 'elem_desc'"):
        open_task("element_ground").questions(instance("element_ground", {}))
    with pytest.raises(DataError, match="'a' cannot be asked"):
        open_task("element_ocr").questions(instance("element_ocr", {"bbox": [1]}))
    with pytest.raises(DataError, match="no image"):
        open_task("heading_ocr").questions(Instance("a", "heading_ocr", "s", None))


def test_an_answer_without_what_is_asked_for_is_none() -> None:
    for name, said in (
        ("web_caption", ""),
        ("webqa", "\n"),
        ("element_ocr", "The text content within the red bounding box is: "),
        ("element_ground", "none of them"),
        ("element_ground_box", "[0.1, 0.2]"),
        ("element_ground_point", "here"),
    ):
        assert isinstance(open_task(name).structure_from(said), NoStructure), name
    assert open_task("web_caption", Profile.HELM).structure_from("") == Structure("")


INPUTS = {
    "question": "How much?",
    "bbox": [0.1, 0.25, 0.33333, 1],
    "elem_desc": "a {bbox} of braces",
    "instruction": "buy it",
    "options": [f"page {number}" for number in range(8)],
}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_every_prompt_is_filled_and_ends_with_a_line_feed(kind) -> None:  # type: ignore[no-untyped-def]
    text = prompt(kind.name, INPUTS, Profile.PAPER)
    assert text.endswith(".\n") or text.endswith(">\n")
    assert not any("{" + name + "}" in text.replace(INPUTS["elem_desc"], "") for name in INPUTS)
    assert set(prompt_texts("i2s_sdk.tasks.visualwebbench")) == {one.name for one in KINDS}


def test_a_box_has_three_decimals() -> None:
    assert "bounding box is [0.100, 0.250, 0.333, 1.000].\n" in prompt("element_ocr", INPUTS, Profile.PAPER)


def test_what_is_filled_in_is_not_looked_through_again() -> None:
    assert "description: a {bbox} of braces\n" in prompt("element_ground", INPUTS, Profile.PAPER)
    assert "[0.1, 0.25, 0.333, 1.0]" in prompt("element_ocr", INPUTS, Profile.HELM)
    told = prompt("action_prediction", {**INPUTS, "options": ["{bbox}"] * 8}, Profile.PAPER)
    assert "\nA. {bbox}\n" in told


def test_choices_have_letters_and_to_the_released_program_none() -> None:
    paper = prompt("action_prediction", INPUTS, Profile.PAPER)
    assert "bounding box:\nA. page 0\nB. page 1\n" in paper
    assert "\nH. page 7\n\nYou should" in paper
    released = prompt("action_prediction", INPUTS, Profile.HELM)
    assert "bounding box:\n['page 0', 'page 1', " in released
    assert "A. page" not in released


def test_the_words_of_the_paper() -> None:
    assert prompt("webqa", {"question": "Who?"}, Profile.HELM) == (
        "Who?\nYou should directly tell me your answer in the fewest words possible, and do not output any "
        "explanation or any other contents.\n"
    )
