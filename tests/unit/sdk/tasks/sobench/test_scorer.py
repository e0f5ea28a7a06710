"""The values of samples, and those of the runs that consist of them."""

from __future__ import annotations

from typing import Any

import pytest

from i2s_sdk.run.storage.record import Outcome
from i2s_sdk.scoring.scorer import MetricValues, Scorable
from i2s_sdk.stats.columns import Columns
from i2s_sdk.stats.means import IntervalKind, Mean
from i2s_sdk.tasks.sobench.scorer import StructuredOutputScorer
from i2s_wire.metrics.profile import Profile
from sample_records import flat_record

PAPER, REFERENCE = StructuredOutputScorer(Profile.PAPER), StructuredOutputScorer(Profile.HELM)
GOLD = {"shop": "Corner Deli", "total": 12.5, "items": [{"name": "tea", "n": 2}], "note": None}
LABELS = {"shop": "fuzzy", "total": "exact", "items": [{"name": "exact", "n": "exact"}], "note": "ignore"}
SCHEMA = {"type": "object", "required": ["shop", "total"], "properties": {"total": {"type": "number"}}}


def _sample(structure: str | None, gold: Any = GOLD, labels: Any = LABELS, schema: Any = SCHEMA) -> Scorable:
    target = {"answer": gold, **({} if labels is None else {"labels": labels})}
    return Scorable("a", structure, {"schema": schema, "intent": "the bill"}, target)


def test_the_gold_answer_has_1_everywhere() -> None:
    text = '{"shop": "Corner Deli", "total": 12.5, "items": [{"name": "tea", "n": 2}], "note": null}'
    for scorer in (PAPER, REFERENCE):
        assert set(scorer.score(_sample(text)).metrics.values()) == {1.0}


def test_the_values_of_an_answer_with_faults() -> None:
    sample = _sample('{"shop": "corner deli", "total": "12.5", "items": [{"name": "Tea"}]}')
    paper, reference = PAPER.score(sample), REFERENCE.score(sample)
    # Gold fields: the root, shop, total, items, its element, name, n. Right: name (exact ignores case).
    assert paper.parts == {"fma": (1.0, 7.0), "fma_exact": (2.0, 8.0)}
    # n and note are left out and not counted; the element passes because of its name, and so items matches.
    assert reference.parts == {"fma": (2.0, 6.0), "fma_exact": (3.0, 6.0)}
    for values, fma in ((paper, 1 / 7), (reference, 2 / 6)):
        assert values.metrics["fma"] == fma
        assert values.metrics["fsma"] == 0.0
        assert values.metrics["followed_schema"] == 0.0
        assert values.metrics["exact_match"] == 0.0


def test_an_exact_match_regards_neither_the_order_of_fields_nor_the_type_of_numbers() -> None:
    for scorer in (PAPER, REFERENCE):
        found = scorer.score(_sample('{"b": [1.0, true], "a": 0}', gold={"a": 0, "b": [1, 1]}, labels=None))
        assert found.metrics["exact_match"] == 1.0
        found = scorer.score(_sample('{"b": [1, 1]}', gold={"a": 0, "b": [1, 1]}, labels=None))
        assert found.metrics["exact_match"] == 0.0


def test_without_labels_all_fields_are_compared_exactly() -> None:
    found = PAPER.score(_sample('{"shop": "corner deli!"}', gold={"shop": "Corner Deli"}, labels=None))
    assert found.metrics["fma"] == found.metrics["fma_exact"] == 1.0


def test_an_answer_of_which_no_field_counts_has_no_field_match_accuracy() -> None:
    for scorer in (PAPER, REFERENCE):
        found = scorer.score(_sample("{}", gold={"a": 1}, labels={"a": "ignore"}))
        assert (found.metrics["fma"], found.parts["fma"]) == (None, (0.0, 0.0))
        assert found.undefined == {"fma": "no field of the answer counts"}
        assert found.metrics["fsma"] == 1.0


def test_an_answer_that_cannot_be_read_counts_as_each_profile_says() -> None:
    paper, reference = PAPER.unusable(_sample(None)), REFERENCE.unusable(_sample(None))
    assert paper.parts == {"fma": (0.0, 7.0), "fma_exact": (0.0, 8.0)}
    assert set(paper.metrics.values()) == {0.0}
    assert reference.parts == {}
    assert reference.metrics["exact_match"] == reference.metrics["followed_schema"] == 0.0
    assert reference.metrics["fma"] is reference.metrics["fsma"] is None
    for scorer in (PAPER, REFERENCE):
        assert list(scorer.unusable(_sample(None)).metrics.keys()) == list(
            scorer.score(_sample("{}")).metrics
        )
        assert set(scorer.score(_sample("{}")).metrics) == {metric.name for metric in scorer.metrics}


def test_there_are_no_values_without_a_gold_answer() -> None:
    assert not PAPER.applies(Scorable("a", "{}", {"schema": {}}))
    assert PAPER.applies(Scorable("a", "{}", {"schema": {}}, {"answer": None}))


def test_numbers_that_are_none_reach_no_value() -> None:
    found = REFERENCE.score(_sample('{"a": NaN, "b": 1e400}', gold={"a": 1, "b": 2}, labels="fuzzy"))
    assert found.parts["fma"] == (0.0, 3.0)


def _group(scorer: StructuredOutputScorer, samples: list[tuple[bool, MetricValues]]) -> dict[str, Mean]:
    columns = Columns(scorer.metrics)
    records = [
        flat_record(
            "a",
            "sobench",
            "s",
            "",
            outcome=Outcome.SCORED,
            usable=usable,
            metrics=one.metrics,
            parts=one.parts,
        )
        for usable, one in samples
    ]
    return columns.values_of(records)


#: Samples of the demo: of 1,751, 15 cannot be read; 19 equal the gold answer, 92 match in all fields that
#: count, and 1,520 are valid under the schema.
_EQUAL, _MATCHING, _VALID, _WRONG, _UNREAD = 19, 92 - 19, 1520 - 92, 1751 - 15 - 1520, 15


def _demo(scorer: StructuredOutputScorer) -> dict[str, Mean]:
    gold, labels = {"a": "one", "b": 2}, {"a": "exact", "b": "exact"}
    schema = {"type": "object"}

    def scored(text: str) -> tuple[bool, MetricValues]:
        return True, scorer.score(_sample(text, gold, labels, schema))

    samples = [
        *[scored('{"a": "one", "b": 2}')] * _EQUAL,
        *[scored('{"a": "One", "b": 2}')] * _MATCHING,
        *[scored('{"a": "one", "b": 3}')] * _VALID,
        *[scored('["one"]')] * _WRONG,
        *[(False, scorer.unusable(_sample(None, gold, labels, schema)))] * _UNREAD,
    ]
    assert len(samples) == 1751
    return _group(scorer, samples)


def test_the_counts_of_the_demo_give_its_published_numbers_in_profile_reference() -> None:
    found = _demo(REFERENCE)
    assert found["exact_match"].value == pytest.approx(0.010850942, abs=5e-10)
    assert found["followed_schema"].value == pytest.approx(0.868075385, abs=5e-10)
    assert found["fsma"].value == pytest.approx(0.052995392, abs=5e-10)
    assert (found["exact_match"].n, found["followed_schema"].n) == (1751, 1751)
    assert (found["fma"].n, found["fsma"].n) == (1736, 1736)
    assert found["fma"].value == pytest.approx((92 * 3 + _VALID) / (92 * 3 + _VALID * 3 + _WRONG), abs=1e-12)


def test_unread_answers_lower_field_matching_in_profile_paper_alone() -> None:
    paper, reference = _demo(PAPER), _demo(REFERENCE)
    assert (paper["fma"].n, paper["fsma"].n) == (1751, 1751)
    assert paper["fsma"].value == pytest.approx(92 / 1751)
    assert paper["fma"].value == pytest.approx((92 * 3 + _VALID) / (1751 * 3))
    assert reference["fma"].value > paper["fma"].value
    assert paper["exact_match"].value == reference["exact_match"].value
    assert paper["fma"].interval_kind is IntervalKind.BAYESIAN_BOOTSTRAP
    assert paper["fsma"].interval_kind is IntervalKind.WILSON
