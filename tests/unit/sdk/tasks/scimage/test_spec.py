"""What a judge is asked, and how its answers are read."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_sdk.tasks.question import ImagePart, TextPart
from i2s_sdk.tasks.rubric import PROMPT_MARK, BadJudgement
from i2s_sdk.tasks.scimage.spec import RUBRIC

GOOD = '{"correctness": 4, "relevance": 3.5, "scientific": 5}'


def test_the_judge_sees_the_prompt_and_the_image_alone():
    question = RUBRIC.question("Two {prompt} circles.", Path("figure.png"))
    text, image = question.parts
    assert isinstance(text, TextPart)
    assert image == ImagePart(Path("figure.png"))
    assert "<<<\nTwo {prompt} circles.\n>>>" in text.text
    assert RUBRIC.text.count(PROMPT_MARK) == 1
    assert not question.system


def test_the_rubric_names_every_criterion_and_score():
    for name in RUBRIC.criteria:
        assert f"{name}: " in RUBRIC.text
        assert f'"{name}"' in RUBRIC.text
    assert "from 1 to 5" in RUBRIC.text


@pytest.mark.parametrize(
    "completion",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f"The circle is red {{as wanted}}. So: {GOOD} That is all.",
        GOOD.replace("4,", "4.0,"),
    ],
)
def test_the_last_object_counts(completion):
    assert RUBRIC.read(completion) == (4.0, 3.5, 5.0)


@pytest.mark.parametrize(
    ("completion", "reason"),
    [
        ("", "no JSON object"),
        ("correctness 4, relevance 3, scientific 5", "no JSON object"),
        ('{"correctness": 4,}', "no valid JSON object"),
        ('{"correctness": NaN, "relevance": 3, "scientific": 5}', "no valid JSON object"),
        ('{"correctness": 4, "correctness": 1, "relevance": 3, "scientific": 5}', "no valid JSON object"),
        ('{"correctness": 4, "relevance": 3}', "no score of scientific"),
        ('{"correctness": null, "relevance": 3, "scientific": 5}', "no score of correctness"),
        ('{"correctness": "4", "relevance": 3, "scientific": 5}', "score of correctness is not a number"),
        ('{"correctness": true, "relevance": 3, "scientific": 5}', "score of correctness is not a number"),
        *(
            (
                f'{{"correctness": 4, "relevance": {score}, "scientific": 5}}',
                "score of relevance is not from 1 to 5 in steps of 0.5",
            )
            for score in (0, 0.5, 5.5, 6, 3.3, -1, 1e300)
        ),
    ],
)
def test_nothing_is_guessed_from_other_answers(completion, reason):
    assert RUBRIC.read(completion) == BadJudgement(reason)


@given(st.text(alphabet='{}[]":,0123456789.eE-correctness ', max_size=200))
def test_whatever_is_said_has_scores_or_a_reason(completion):
    found = RUBRIC.read(completion)
    if isinstance(found, BadJudgement):
        assert found.reason
    else:
        assert all(1 <= score <= 5 and score % 0.5 == 0 for score in found)


def test_the_prompt_is_that_of_the_details_of_a_record():
    assert RUBRIC.prompt({"scimage": {"prompt": "A circle."}}) == "A circle."
    assert RUBRIC.prompt({}) == ""


def test_the_digest_follows_text_and_scores():
    from dataclasses import replace

    assert len(RUBRIC.sha256) == 64
    assert replace(RUBRIC, step=1.0).sha256 != RUBRIC.sha256
    assert replace(RUBRIC, text=RUBRIC.text + " ").sha256 != RUBRIC.sha256
