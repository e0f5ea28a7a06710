"""Limits of a job at the bounds of what may be set and asked for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import i2s_chassis
from i2s_chassis.limits import DEFAULT_LIMITS, MAX_LIMITS, Limits, LimitTable
from i2s_wire.bounds import PICTURE_BYTES, PICTURE_PIXELS


def test_a_picture_may_be_as_large_as_clients_and_the_metric_service_take_it() -> None:
    assert (DEFAULT_LIMITS.pixels, DEFAULT_LIMITS.picture_bytes) == (PICTURE_PIXELS, PICTURE_BYTES)


def test_the_limits_of_a_job_need_no_package_but_the_chassis_if_all_are_given() -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(Path(i2s_chassis.__file__).parents[1])!r})\n"
        "from i2s_chassis.job_limits import Limits\n"
        "import i2s_chassis.jail.spawner, i2s_chassis.jail.cell_supervisor, i2s_chassis.jail.escape\n"
        "from dataclasses import fields\n"
        "Limits(**{one.name: 1 for one in fields(Limits)})\n"
        "assert 'i2s_wire' not in sys.modules"
    )
    subprocess.run([sys.executable, "-I", "-S", "-c", code], check=True)


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
