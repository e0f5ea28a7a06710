"""The columns of a page, and the answers that are missing or empty."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace

import pytest

from i2s_sdk.instances.instance import Instance
from i2s_sdk.run.conversions import FORMULA_RENDERER
from i2s_sdk.run.steps import optional_services, scoring_services
from i2s_sdk.scoring.page_tokens import drawn_json
from i2s_sdk.scoring.scorer import (
    DETAIL_BYTES,
    FORMULA,
    FORMULAS_NOT_DRAWN,
    Conversion,
    MetricValues,
    Scorable,
)
from i2s_sdk.tasks.olmocrbench.scorer import GROUPS, PageTestsScorer
from i2s_sdk.tasks.olmocrbench.view import view
from i2s_sdk.tasks.registry import open_task
from i2s_sdk.tasks.view import DiffPanel, RowMark, ShownSample
from i2s_wire.metrics.profile import Profile
from i2s_wire.render.page_objects import PageObjects

_TESTS = [
    {"id": "p1", "type": "present", "category": "multi_column", "text": "Hello"},
    {"id": "p2", "type": "present", "category": "multi_column", "text": "Goodbye", "max_diffs": 1},
    {"id": "a1", "type": "absent", "category": "headers_footers", "text": "page 7"},
    {"id": "o1", "type": "order", "category": "old_scans", "before": "Hello", "after": "world"},
    {"id": "t1", "type": "table", "category": "table_tests", "cell": "1", "right": "2"},
    {"id": "m1", "type": "math", "category": "arxiv_math", "math": "x^2"},
    {"id": "b1", "type": "baseline", "category": "base"},
    {"id": "b2", "type": "baseline", "category": "mine", "max_length": 3},
]
_PAGE = "Hello world $x^2$\n\n| 1 | 2 |\n|---|---|\n"


def _score(page: str | None, profile: Profile = Profile.PAPER, tests: list = _TESTS) -> MetricValues:
    values = PageTestsScorer(profile).score(Scorable("i", page, target={"tests": tests}))
    assert isinstance(values, MetricValues)
    return values


def test_each_test_counts_in_its_group_and_in_its_kind() -> None:
    values = _score(_PAGE)
    assert values.parts == {
        "multi_column": (1, 2), "headers_footers": (1, 1), "old_scans": (1, 1), "table_tests": (1, 1),
        "arxiv_math": (1, 1), "base": (1, 1), "other": (0, 1),
        "present": (1, 2), "absent": (1, 1), "order": (1, 1), "table": (1, 1), "math": (1, 1),
        "baseline": (1, 2),
    }  # fmt: skip
    assert values.metrics["multi_column"] == 0.5
    assert values.metrics["long_tiny_text"] is None
    assert set(GROUPS) < set(values.metrics)


@pytest.mark.parametrize("page", [None, "", " \n"])
def test_an_empty_answer_passes_the_test_of_a_blank_page_alone(page: str | None) -> None:
    values = _score(page)
    assert {name for name, (passed, _) in values.parts.items() if passed} == {"other", "baseline"}
    released = _score((page or "").strip(), Profile.HELM)  # as answers without text are read
    assert {name for name, (passed, _) in released.parts.items() if passed} == {
        "other", "baseline", "headers_footers", "absent",
    }  # fmt: skip


def test_a_page_that_is_shorter_than_the_text_has_it_as_released_in_reference_alone() -> None:
    tests = [{"id": "p", "type": "present", "category": "old_scans", "text": "a long phrase"}]
    assert _score("long", tests=tests).parts["present"] == (0, 1)
    assert _score("long", Profile.HELM, tests).parts["present"] == (1, 1)


def test_an_answer_that_takes_too_much_fails_everything() -> None:
    values = PageTestsScorer().unusable(Scorable("i", None, target={"tests": _TESTS}))
    assert values.parts["present"] == (0, 2)
    assert not any(passed for passed, _ in values.parts.values())


@pytest.mark.parametrize("profile", Profile)
@pytest.mark.parametrize("page", [None, "", "no formula", "$y$", r"$\bad$"])
def test_a_test_that_cannot_be_judged_counts_nowhere_for_any_answer(
    page: str | None, profile: Profile
) -> None:
    test = {"id": "m", "type": "math", "category": "arxiv_math", "math": r"\bad"}
    scorer, sample = PageTestsScorer(profile), Scorable("i", page, target={"tests": [test]})
    (wanted,) = scorer.conversions(sample)
    assert wanted.text == r"\bad"
    sample = replace(sample, conversions={wanted.key: None})
    for values in (scorer.score(sample), scorer.unusable(sample)):
        assert values.parts == {}
        assert values.metrics["math"] is None


def test_only_formulas_that_are_needed_are_asked_for() -> None:
    scorer = PageTestsScorer()
    sample = Scorable("i", "$y$", target={"tests": _TESTS})
    assert [conversion.text for conversion in scorer.conversions(sample)] == ["x^2"]
    drawn = {Conversion(FORMULA, "x^2").key: drawn_json(PageObjects())}
    assert [conversion.text for conversion in scorer.conversions(replace(sample, conversions=drawn))] == ["y"]
    for page in (_PAGE, None, ""):
        sample = Scorable("i", page, target={"tests": _TESTS}, conversions=drawn)
        assert scorer.conversions(sample) == ()
    assert scorer.conversions(Scorable("i", "$y$", target={"tests": _TESTS[:5]})) == ()
    assert pickle.loads(pickle.dumps(scorer)) == scorer


def test_the_report_shows_each_test_failed_ones_first() -> None:
    values = _score(_PAGE)
    (panel,) = view(ShownSample(detail={"olmocrbench": values.detail}))
    assert isinstance(panel, DiffPanel)
    assert [row.mark for row in panel.rows] == [RowMark.MISSED] * 2 + [RowMark.MATCHED] * 6
    assert "Goodbye" in panel.rows[0].gold[0].text
    assert "not there" in panel.rows[0].answer[0].text
    assert panel.note == "6 of these 8 tests passed."
    many = _score("x", tests=[{**_TESTS[0], "id": "i" * 500, "text": "ü" * 5000}] * 2000)
    assert len(json.dumps(many.detail)) <= DETAIL_BYTES
    assert 0 < len(many.detail["tests"]) == 2000 - many.detail["left"] < 200


def test_without_drawn_formulas_only_the_columns_of_formula_tests_are_missing() -> None:
    tests = [*_TESTS, {"id": "p3", "type": "present", "category": "arxiv_math", "text": "Hello"}]
    sample = Scorable("i", "$y^2$ " + _PAGE, target={"tests": tests})
    scorer = PageTestsScorer().without_formulas()
    assert PageTestsScorer().conversions(Scorable("i", "$y^2$", target={"tests": tests}))
    assert scorer.conversions(Scorable("i", "$y^2$", target={"tests": tests})) == ()
    whole, found = PageTestsScorer().score(sample), scorer.score(sample)
    lost = {"arxiv_math", "math"}
    assert found.undefined == dict.fromkeys(lost, FORMULAS_NOT_DRAWN)
    assert found.metrics == {**whole.metrics, **dict.fromkeys(lost)}
    assert found.parts == {name: part for name, part in whole.parts.items() if name not in lost}
    assert scorer.unusable(sample).metrics["math"] is None
    assert lost < set(scorer.formula_metrics) < {metric.name for metric in scorer.metrics}


def test_only_pages_with_formula_tests_ask_for_the_renderer() -> None:
    task = open_task("olmocrbench")
    math, plain = (
        Instance("a", "olmocrbench", "tables", None, target={"tests": some}) for some in (_TESTS, _TESTS[:5])
    )
    assert scoring_services([task]) == set()
    assert optional_services([task], [plain]) == set()
    assert optional_services([task], [plain, math]) == {FORMULA_RENDERER}
