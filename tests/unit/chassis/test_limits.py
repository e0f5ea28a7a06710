"""Limits of a job at the bounds of what may be set and asked for."""

from __future__ import annotations

import pytest

from i2s_chassis.limits import DEFAULT_LIMITS, MAX_LIMITS, Limits, LimitTable


def test_a_default_may_be_its_maximum() -> None:
    table = LimitTable(default=MAX_LIMITS)
    assert table.resolve({}) == MAX_LIMITS


@pytest.mark.parametrize("pages", [0, -1])
def test_a_default_that_allows_nothing_is_refused(pages: int) -> None:
    with pytest.raises(ValueError, match="pages: default"):
        LimitTable(default=Limits(pages=pages))


def test_nothing_wanted_is_the_default() -> None:
    assert LimitTable().resolve({"cpu_seconds": 0, "wall_seconds": 0.0}) == DEFAULT_LIMITS


def test_the_wall_clock_that_follows_the_cpu_seconds_stays_below_its_maximum() -> None:
    table = LimitTable(maximum=Limits(cpu_seconds=120.0, wall_seconds=100.0))
    assert table.resolve({"cpu_seconds": 120}).wall_seconds == 100.0


def test_a_wall_clock_that_is_wanted_does_not_follow_the_cpu_seconds() -> None:
    wanted = LimitTable().resolve({"cpu_seconds": 20, "wall_seconds": 5})
    assert (wanted.cpu_seconds, wanted.wall_seconds) == (20, 5)
    alone = LimitTable().resolve({"wall_seconds": 1e9})
    assert (alone.cpu_seconds, alone.wall_seconds) == (DEFAULT_LIMITS.cpu_seconds, MAX_LIMITS.wall_seconds)
