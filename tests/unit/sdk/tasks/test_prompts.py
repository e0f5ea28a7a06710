import pytest

from i2s_sdk.tasks.prompts import DECODING, prompt_texts, task_prompt


def test_the_instruction_comes_first_and_a_line_feed_before_the_task() -> None:
    instruction, question = task_prompt("latex").texts
    assert instruction == prompt_texts()["instruction"]
    assert question == "\n" + prompt_texts()["latex"]


def test_assets_are_listed_one_a_line_after_the_task() -> None:
    question = task_prompt("webpage", ["img/a.png", "b.svg"]).texts[1]
    assert question.endswith("\nYou have access to the following assets:\n- img/a.png\n- b.svg\n")


def test_a_task_without_assets_lists_none() -> None:
    assert "assets" not in task_prompt("webpage").texts[1]


def test_there_is_no_prompt_for_an_unknown_task() -> None:
    with pytest.raises(KeyError):
        task_prompt("sculpture")


def test_completions_are_greedy_and_one() -> None:
    assert (DECODING.temperature, DECODING.max_tokens, DECODING.completions, DECODING.stop) == (
        0.0,
        2000,
        1,
        (),
    )
