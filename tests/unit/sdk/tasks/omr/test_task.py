"""What a model is asked, and how scores are read out of answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from i2s_sdk.instances.instance import Instance
from i2s_sdk.tasks.answer_reading import read_answer
from i2s_sdk.tasks.omr.spec import OMR
from i2s_sdk.tasks.question import ImagePart, TextPart
from i2s_sdk.tasks.registry import open_task
from i2s_sdk.tasks.structure import NoStructure, Origin, Structure
from i2s_wire.metrics.profile import Profile

TASK = open_task("omr")
KERN = OMR.constant.strip()
XML = '<?xml version="1.0"?>\n<score-partwise version="4.0">\n<part-list/>\n</score-partwise>'
MEI = '<mei xmlns="http://www.music-encoding.org/ns/mei">\n<music/>\n</mei>'
SCORES = pytest.mark.parametrize("score", [KERN, XML, MEI], ids=["kern", "musicxml", "mei"])


def _read(completion: str) -> Structure:
    found = read_answer(TASK, completion).structure
    assert isinstance(found, Structure)
    return found


def test_the_question_is_a_text_and_the_image() -> None:
    (question,) = TASK.questions(Instance("a", "omr", "pages", Path("a.png")))
    text, image = question.parts
    assert isinstance(text, TextPart)
    assert isinstance(image, ImagePart)
    assert TASK.prompt_texts() == (text.text,)
    assert all(name in text.text for name in ("```kern", "```musicxml", "```mei", "score-partwise"))


@SCORES
@pytest.mark.parametrize("language", ["", "kern", "musicxml", "xml", "mei", "humdrum"])
def test_a_block_of_any_language_has_the_score(score: str, language: str) -> None:
    found = _read(f"Here it is:\n\n```{language}\n{score}\n```\n\nIt has four bars.")
    assert (found.code, found.origin) == (score, Origin.FENCE)


@SCORES
def test_an_answer_without_a_fence_is_the_score(score: str) -> None:
    assert _read(score).code == score
    found = _read(f"The score in the image:\n\n{score}\n\nI hope that this helps.")
    assert (found.code, found.origin) == (score, Origin.EXCERPT)


@pytest.mark.parametrize("said", ["", "A minuet in G.", "```\n```", "X:1\nK:C\nCDEF|"])
def test_an_answer_without_a_score_has_none(said: str) -> None:
    assert isinstance(TASK.structure_from(said), NoStructure)


def test_a_score_that_was_cut_off_is_read_as_far_as_it_goes() -> None:
    assert _read("```kern\n**kern\n4c\n4d").code == "**kern\n4c\n4d"
    assert _read("**kern\n4c\n4d").code == "**kern\n4c\n4d"


def test_both_profiles_have_one_scorer_and_render_nothing() -> None:
    for profile in (Profile.PAPER, Profile.HELM):
        task = open_task("omr", profile)
        assert task.rendering is None
        assert [scorer.name for scorer in task.scorers] == ["omr"]
