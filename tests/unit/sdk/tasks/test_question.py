import hashlib
import json
from pathlib import Path

import pytest

from i2s_sdk.instances.instance import Instance
from i2s_sdk.tasks import ImagePart, Question, TextPart
from i2s_sdk.tasks.question import DECODING, prompt_texts, task_prompt
from i2s_sdk.tasks.registry import open_task


def test_the_instruction_comes_first_and_a_line_feed_before_the_task() -> None:
    instruction, question = task_prompt("latex")
    assert instruction == prompt_texts()["instruction"]
    assert question == "\n" + prompt_texts()["latex"]


def test_assets_are_listed_one_a_line_after_the_task() -> None:
    question = task_prompt("webpage", ["img/a.png", "b.svg"])[1]
    assert question.endswith("\nYou have access to the following assets:\n- img/a.png\n- b.svg\n")


def test_a_task_without_assets_lists_none() -> None:
    assert "assets" not in task_prompt("webpage")[1]


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


@pytest.mark.parametrize(
    ("task", "digest"),
    [
        ("latex", "0c3c136f61a4d6ada1d7b389d5788ceac9a162f5d147afc08f576ad9c6fdf2ab"),
        ("webpage", "cb4f4107d195f5b20db14591c0a944a51585e412bea1565d460b970c919da1b9"),
        ("music", "b016d84d60d63a0cc14d3ed06838e38924a72e9e4f4d5b1941349e54d68f84cf"),
    ],
)
def test_the_digest_of_prompts_is_that_of_runs_begun_before(task: str, digest: str) -> None:
    """Another one would refuse to resume every run that there is."""
    texts = json.dumps(open_task(task).prompt_texts())
    assert hashlib.sha256(texts.encode()).hexdigest() == digest


@pytest.mark.parametrize(
    ("task", "text"), [("latex", "latex"), ("webpage", "webpage"), ("music", "musicsheet")]
)
def test_the_tasks_ask_one_question_of_texts_and_the_image_behind_them(task: str, text: str) -> None:
    image = Path("a.png")
    first, second = task_prompt(text)
    assert open_task(task).questions(Instance("a", task, "s", image)) == (
        Question((TextPart(first), TextPart(second), ImagePart(image))),
    )
