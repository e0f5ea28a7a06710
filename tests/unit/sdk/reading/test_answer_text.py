"""The answer within a completion."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_sdk.reading import read_answer_text

ANSWER = "\\[ x \\]"


@pytest.mark.parametrize(
    "completion",
    [
        f"<think>hm</think>{ANSWER}",
        f"<think>\na\n</think>\n\n{ANSWER}",
        f"hm, without an opening tag</think>{ANSWER}",
        f"<thinking>a</thinking>{ANSWER}",
        f"<reasoning>a</reasoning> {ANSWER}",
        f"<THINK>a</THINK>{ANSWER}",
        f"<|think|>a<|/think|>{ANSWER}",
        f"[THINK]a[/THINK]{ANSWER}",
        f"◁think▷a◁/think▷{ANSWER}",
        f"<think>a</think><think>b</think>{ANSWER}",
        f"<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>{ANSWER}<|return|>",
        f"<|begin_of_thought|>a<|end_of_thought|><|begin_of_solution|>{ANSWER}<|end_of_solution|>",
        f"<think>a</think><answer>{ANSWER}</answer>",
        f"<answer>\n{ANSWER}\n</answer>",
        f"So it is <answer>{ANSWER}</answer>",
        f"<answer>{ANSWER}",
        f"<|begin_of_box|>{ANSWER}<|end_of_box|>",
        f"The answer: <|begin_of_box|>{ANSWER}<|end_of_box|>.",
        f"{ANSWER}<|im_end|>",
        f"{ANSWER}<|im_end|>\n<|im_start|>user\nand now?",
        f"<|im_start|>assistant\n{ANSWER}<|im_end|>",
        f"<|start_header_id|>assistant<|end_header_id|>\n\n{ANSWER}<|eot_id|>",
        f"<start_of_turn>model\n{ANSWER}<end_of_turn>",
        f"<s>{ANSWER}</s>",
        f"{ANSWER}</s><pad><pad>",
        f"{ANSWER}<turn_end>",
        f"{ANSWER}<｜end▁of▁sentence｜>",
    ],
)
def test_reasoning_tags_and_markers_are_no_answer(completion: str) -> None:
    read = read_answer_text(completion)
    assert (read.text.strip(), read.in_reasoning) == (ANSWER, False)
    assert read.before + read.text + read.after == completion


@pytest.mark.parametrize(
    "completion",
    [
        "<think>I should write \\[",
        "<think>a</think><think>again",
        "Let me see.\n<thinking>\nIt is ```latex\nx\n```",
        "<|channel|>analysis<|message|>It is",
        "[THINK]It is",
    ],
)
def test_reasoning_that_never_ends_leaves_no_answer(completion: str) -> None:
    read = read_answer_text(completion)
    assert (read.text, read.in_reasoning) == ("", True)


@pytest.mark.parametrize(
    "completion",
    [
        "",
        ANSWER,
        "a < b and c > d",
        "<html><body><s>old</s></body></html>",
        '```json\n[{"filename": "a", "content": "\\n<think>"}]\n```',
        "<p>the answer</p>",
        "| think | a |",
    ],
)
def test_other_completions_are_the_answer_as_they_are(completion: str) -> None:
    assert read_answer_text(completion).text == completion


@given(st.text(alphabet="</think>answ|box_[]\n x", max_size=80))
def test_an_answer_is_one_stretch_of_its_completion(completion: str) -> None:
    read = read_answer_text(completion)
    assert read.before + read.text + read.after == completion
