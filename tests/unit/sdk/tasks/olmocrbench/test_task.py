"""What a model is asked about a page, what is read of its answer, and what the oracle answers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from i2s_sdk.errors import DataError, UsageError
from i2s_sdk.instances.instance import Content, Instance
from i2s_sdk.scoring.scorer import MetricValues, Scorable
from i2s_sdk.tasks.olmocrbench.scorer import PageTestsScorer
from i2s_sdk.tasks.olmocrbench.spec import OLMOCRBENCH
from i2s_sdk.tasks.olmocrbench.task import OlmOcrBenchTask
from i2s_sdk.tasks.question import ImagePart, Question
from i2s_sdk.tasks.structure import NoStructure, Structure
from i2s_wire.metrics.profile import Profile

_PAGES = (Path("page-1.jpg"), Path("page-2.jpg"))


def _instance(**inputs: object) -> Instance:
    return Instance("a_pg2", "olmocrbench", "tables", None, inputs=inputs)


@pytest.mark.parametrize(("inputs", "shown"), [({}, 0), ({"page": 1}, 0), ({"page": 2}, 1)])
def test_a_model_is_shown_the_page_alone(inputs: dict[str, int], shown: int) -> None:
    instance = replace(_instance(**inputs), pages=_PAGES)
    (question,) = OlmOcrBenchTask().questions(instance)
    assert [part for part in question.parts if isinstance(part, ImagePart)] == [ImagePart(_PAGES[shown])]


def test_a_page_that_is_not_there_is_named() -> None:
    with pytest.raises(UsageError, match="is not drawn here"):
        OlmOcrBenchTask().questions(_instance(page=1))
    with pytest.raises(DataError, match="no document"):
        OlmOcrBenchTask().questions(replace(_instance(page=3), pages=_PAGES))


def test_a_fence_around_the_answer_is_taken_off_in_profile_paper() -> None:
    fenced = "```markdown\n# Title\n```"
    assert OlmOcrBenchTask().structure_from(fenced) == Structure("# Title")
    assert OlmOcrBenchTask(Profile.HELM).structure_from(fenced) == Structure(fenced)
    assert isinstance(OlmOcrBenchTask().structure_from(" \n"), NoStructure)


def test_the_oracle_answers_with_the_markdown_or_with_a_page_of_the_tests() -> None:
    tests = [
        {"id": "1", "type": "present", "category": "x", "text": "Hello there"},
        {"id": "2", "type": "order", "category": "x", "before": "first", "after": "second"},
        {"id": "3", "type": "absent", "category": "x", "text": "footer"},
        {
            "id": "4", "type": "table", "category": "x", "cell": "1", "up": "2", "down": "3", "left": "4",
            "right": "5", "top_heading": "6", "left_heading": "7",
        },
        {"id": "5", "type": "table", "category": "x", "cell": "8"},
        {"id": "6", "type": "math", "category": "x", "math": "x^2"},
        {"id": "7", "type": "baseline", "category": "base"},
    ]  # fmt: skip
    page = OLMOCRBENCH.answer(Content(target={"tests": tests}), Question(()))
    values = PageTestsScorer().score(Scorable("i", page, target={"tests": tests}))
    assert isinstance(values, MetricValues)
    assert all(passed == number for passed, number in values.parts.values()), values.detail
    known = Content(target={"tests": tests, "markdown": "# Known"})
    assert OLMOCRBENCH.answer(known, Question(())) == "# Known"


def test_grades_change_the_markdown_and_leave_the_tests() -> None:
    tests = [{"id": "1", "type": "present", "category": "x", "text": "word"}]
    content = Content(target={"tests": tests, "markdown": "A word of many words.\n\nAnother block."})
    changed = [grade.change(content, Random(1)) for grade in OLMOCRBENCH.grades]
    made = [one.target for one in changed if one is not None]
    assert made
    assert all(one["tests"] == tests and one["markdown"] != content.target["markdown"] for one in made)
    assert all(
        grade.change(Content(target={"tests": tests}), Random(1)) is None for grade in OLMOCRBENCH.grades
    )
