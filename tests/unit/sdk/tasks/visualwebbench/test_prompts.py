"""Prompts: their fields, and the choices in both profiles."""

import pytest

from i2s_sdk.tasks.visualwebbench.kinds import KINDS
from i2s_sdk.tasks.visualwebbench.prompts import prompt, prompt_templates
from i2s_wire.metrics.profile import Profile

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
    assert set(prompt_templates()) == {one.name for one in KINDS}


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
