"""Pairs of graded answers, against values worked out by hand."""

from __future__ import annotations

from i2s_sdk.stats.ladder import GradedValue, MetricOrder, PairKind, metric_orders
from i2s_sdk.tasks.graded import Rung


def order(*answers: tuple[str, str, float | None]) -> MetricOrder:
    """Return the order of a metric for answers, each with instance, rung or form, and value."""
    graded = [
        GradedValue(identity, Rung(name) if name in tuple(Rung) else Rung.EQUIVALENT, name, {"m": value})
        for identity, name, value in answers
    ]
    (found,) = metric_orders(graded, ["m"])
    return found


LADDER = (
    ("a", "perfect", 1.0),
    ("a", "one wrong", 0.9),
    ("a", "a tenth missing", 0.95),  # above one wrong: 1 of 6 pairs among the first four is wrong
    ("a", "half missing", 0.5),
    ("a", "blank", 0.5),  # as high as half missing
    ("a", "constant", 0.6),  # above half missing
    ("a", "another size", 0.4),
    ("a", "another font", 0.55),
)


def test_shares_are_those_counted_by_hand() -> None:
    found = order(*LADDER)
    value = {kind: mean.value for kind, mean in found.shares.items()}
    # 6 pairs of the four rungs, of which one is wrong, and 4 x 2 over blank and constant: 7 right but half
    # missing over blank (a tie) and over constant (wrong).
    assert value[PairKind.ALL] == (5 + 6 + 0.5) / 14
    assert value[PairKind.FINE] == 2 / 3
    assert value[PairKind.NOTHING] == 0.5 / 2
    assert value[PairKind.OVER_HALF] == 1 / 2
    assert value[PairKind.OVER_NOTHING] == 1 / 4
    assert {name: mean.value for name, mean in found.forms.items()} == {"another size": 0, "another font": 1}
    assert found.misleads
    assert found.means["half missing"] == 0.5


def test_pairs_of_two_instances_are_counted_together_and_none_is_of_both() -> None:
    found = order(*LADDER, ("b", "perfect", 0.2), ("b", "half missing", 0.1))
    assert found.shares[PairKind.ALL].value == (5 + 6 + 0.5 + 1) / 15
    assert found.shares[PairKind.ALL].n == 2


def test_an_answer_without_a_value_is_in_no_pair() -> None:
    found = order(("a", "perfect", 1.0), ("a", "one wrong", None), ("a", "blank", 0.0))
    assert (found.shares[PairKind.ALL].value, found.shares[PairKind.FINE].value) == (1.0, None)
    assert not found.misleads


def test_a_distance_orders_as_its_similarity_does() -> None:
    values = [(identity, name, {"m": value, "d": 1 - value}) for identity, name, value in LADDER]
    graded = [
        GradedValue(identity, Rung(name) if name in tuple(Rung) else Rung.EQUIVALENT, name, both)
        for identity, name, both in values
    ]
    similarity, distance = metric_orders(graded, ["m", "d"], ["d"])
    assert (distance.shares, distance.forms) == (similarity.shares, similarity.forms)
    (wrong,) = metric_orders(graded, ["d"])
    assert wrong.shares != similarity.shares
