"""Ranks and centred values within groups."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_training import GroupPlace, group_places


def test_what_has_no_value_lowers_no_mean_and_no_rank() -> None:
    places = group_places([0.5, None, 0.9, 0.7, 0.1], ["a", "a", "a", "b", "b"])
    assert places[1] is None
    assert places[0] == GroupPlace(2.0, 2, pytest.approx(-0.2))
    assert places[2] == GroupPlace(1.0, 2, pytest.approx(0.2))
    assert [place and place.size for place in places[3:]] == [2, 2]


def test_equal_values_share_a_rank() -> None:
    ranks = [
        group_place.rank for group_place in group_places([1.0, 0.0, 1.0, 0.0, 0.5], [0] * 5) if group_place
    ]
    assert ranks == [1.5, 4.5, 1.5, 4.5, 3.0]


@given(st.lists(st.floats(-10, 10), min_size=1, max_size=20))
def test_ranks_add_up_and_centred_values_to_nothing(values: list[float]) -> None:
    places = [
        group_place for group_place in group_places(values, [0] * len(values)) if group_place is not None
    ]
    assert sum(place.rank for place in places) == len(values) * (len(values) + 1) / 2
    assert sum(place.centred for place in places) == pytest.approx(0.0, abs=1e-9)
