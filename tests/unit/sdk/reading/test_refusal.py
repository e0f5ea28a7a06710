"""Refusals."""

import pytest

from i2s_sdk.reading import is_refusal


@pytest.mark.parametrize(
    "answer",
    [
        "I'm sorry, but I can't help with transcribing this image.",
        "I’m sorry, but I can’t view images.",
        "I am sorry, I cannot assist with that request.",
        "I cannot provide the LaTeX code for this image.",
        "Sorry, I'm unable to process images.",
        "Unfortunately, I am not able to see the image you refer to.",
        "I apologize, but I don't have the ability to view images.",
        "As an AI language model, I cannot see pictures.",
        "I'm unable to view the image.",
        "**I can't assist with that.**",
        "It seems that the image did not upload. Please try again.",
        "No image was provided.",
        "Please provide the image that you want me to transcribe.",
        "很抱歉，我无法查看图片。",
        "I'm sorry.",
        "I can't do that.\n\nI can't do that.\n\nI can't do that.",
    ],
)
def test_an_answer_that_opens_as_a_refusal_is_one(answer: str) -> None:
    assert is_refusal(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "E = mc^2",
        "Sorry, we couldn't find that page",
        "Unfortunately for him, the cannon was empty.",
        "I can see a table of three rows.",
        "The image is not centred on the page.",
        "Sign in",
        "I cannot help it: " + "a long answer. " * 200,
    ],
)
def test_other_answers_are_none(answer: str) -> None:
    assert not is_refusal(answer)
