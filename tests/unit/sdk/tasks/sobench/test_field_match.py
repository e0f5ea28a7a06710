"""Field matching, against cases made from the rules and definitions written a second time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_sdk.tasks.sobench.field_match import ABSENT, Counts, match_fields
from i2s_wire.metrics.profile import Profile
from sobench_definition import LETTERS, paper, released

RECORDED = json.loads((Path(__file__).parent / "field_match_vectors.json").read_text(encoding="utf-8"))


def _counts(pred: Any, gold: Any, label: Any, profile: Profile) -> tuple[int, int]:
    counts = Counts.of(match_fields(pred, gold, label, profile))
    return counts.total, counts.matches


def _by_kind(pred: Any, gold: Any, label: Any) -> dict[str, int]:
    """Return the counts of profile reference as the vectors have them."""
    nodes = list(match_fields(pred, gold, label, Profile.HELM).walk())
    right = [node.gold for node in nodes if node.matched]
    return {
        "total": sum(node.counted for node in nodes),
        "list": sum(isinstance(one, list) for one in right),
        "dict": sum(isinstance(one, dict) for one in right),
        "num": sum(isinstance(one, int | float) for one in right),
        "str": sum(isinstance(one, str) for one in right),
        "match": len(right),
    }


@pytest.mark.parametrize("vector", RECORDED, ids=lambda one: one["name"])
def test_counts_are_those_of_the_rules(vector: dict[str, Any]) -> None:
    pred, gold, label = vector["answer"], vector["gold"], vector["labels"]
    assert _counts(pred, gold, label, Profile.HELM) == tuple(vector["reference"])
    assert _counts(pred, gold, label, Profile.PAPER) == tuple(vector["paper"])


_LEAVES = st.none() | st.booleans() | st.integers(-40, 40) | st.floats(-2, 2) | st.text(LETTERS, max_size=12)
_VALUES = st.recursive(
    _LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=12,
)
_WORDS = st.sampled_from(["exact", "fuzzy", "ignore"])


@st.composite
def _labels_of(draw: st.DrawFn, gold: Any) -> Any:
    if isinstance(gold, dict | list) and draw(st.integers(0, 7)):
        if isinstance(gold, list):
            return [draw(_labels_of(one)) for one in gold]
        return {name: draw(_labels_of(one)) for name, one in gold.items() if draw(st.integers(0, 5))}
    return draw(_WORDS)


@st.composite
def _changed(draw: st.DrawFn, value: Any) -> Any:
    """Return a value like another one, some of its fields left out, added or replaced."""
    if draw(st.integers(0, 5)) == 0:
        return draw(_VALUES)
    if isinstance(value, dict):
        kept = {name: draw(_changed(one)) for name, one in value.items() if draw(st.integers(0, 4))}
        return kept | draw(st.dictionaries(st.sampled_from("xy"), _LEAVES, max_size=1))
    if isinstance(value, list):
        kept = [draw(_changed(one)) for one in value]
        return kept + draw(st.lists(_LEAVES, max_size=1)) if draw(st.integers(0, 4)) == 0 else kept
    return value


@st.composite
def _cases(draw: st.DrawFn) -> tuple[Any, Any, Any]:
    gold = draw(_VALUES)
    return draw(_changed(gold)), gold, draw(_labels_of(gold))


@given(_cases())
def test_profile_reference_counts_as_a_second_implementation_does(case: tuple[Any, Any, Any]) -> None:
    expected = released(*case)
    assert _counts(*case, Profile.HELM) == (expected["total"], expected["match"])
    assert _by_kind(*case) == {name: n for name, n in expected.items() if name != "null"}


@given(_cases())
def test_profile_paper_counts_as_a_second_implementation_does(case: tuple[Any, Any, Any]) -> None:
    expected = paper(*case)
    assert _counts(*case, Profile.PAPER) == (expected["total"], expected["match"])


@given(_cases())
def test_the_gold_answer_matches_in_every_field_that_profile_paper_counts(case: tuple[Any, Any, Any]) -> None:
    _, gold, label = case
    total, matches = _counts(gold, gold, label, Profile.PAPER)
    assert matches == total


@given(_cases())
def test_the_denominator_of_profile_paper_does_not_depend_on_the_answer(case: tuple[Any, Any, Any]) -> None:
    answer, gold, label = case
    totals = {_counts(one, gold, label, Profile.PAPER)[0] for one in (answer, gold, None, ABSENT, {}, [])}
    assert len(totals) == 1


@given(_cases())
def test_what_cannot_be_read_matches_nothing(case: tuple[Any, Any, Any]) -> None:
    _, gold, label = case
    assert _counts(ABSENT, gold, label, Profile.PAPER)[1] == 0
