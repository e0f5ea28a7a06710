"""The message that makes a cell survives the way to the spawner."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from i2s_chassis.jail import Tier
from i2s_chassis.jail.cgroup import Hierarchy
from i2s_chassis.jail.landlock import Substitute
from i2s_chassis.jail.plan import CellPlan
from i2s_chassis.limits import DEFAULT_LIMITS, Limits, LimitTable


def plan(tier: Tier, groups: Hierarchy | None) -> CellPlan:
    return CellPlan(
        name="1-2",
        tier=tier,
        limits=DEFAULT_LIMITS,
        uid=52_000,
        readable=("/opt/formats/x.fmt",),
        folder="/state",
        private_mount=True,
        new_user=False,
        poll_seconds=0.05,
        patience=10.0,
        groups=groups,
        bwrap="/usr/bin/bwrap",
        channels=(3, 4),
        nesting=True,
        landlock_abi=2,
        substitutes=(Substitute.IOCTL, Substitute.TRUNCATE),
    )


@pytest.mark.parametrize("tier", [Tier.NAMESPACE, Tier.LANDLOCK])
@pytest.mark.parametrize(
    "groups",
    [None, Hierarchy(1, Path("/a"), Path("/b"), None), Hierarchy(2, Path("/a"), Path("/a"), Path("/a"))],
)
def test_a_plan_survives_json(tier: Tier, groups: Hierarchy | None) -> None:
    before = plan(tier, groups)
    assert CellPlan.from_json(json.loads(json.dumps(before.to_json()))) == before


def test_programs_see_the_work_folder_where_their_tier_puts_it() -> None:
    assert plan(Tier.NAMESPACE, None).workdir == "/i2s-work"
    assert plan(Tier.LANDLOCK, None).workdir == "/state/1-2"


def test_wanted_limits_are_clamped() -> None:
    table = LimitTable()
    limits = table.resolve({"cpu_seconds": 1e9, "pages": 3, "memory_bytes": 0})
    assert limits.cpu_seconds == table.maximum.cpu_seconds
    assert limits.pages == 3
    assert limits.memory_bytes == table.default.memory_bytes


def test_the_wall_clock_follows_the_cpu_seconds() -> None:
    assert LimitTable().resolve({"cpu_seconds": 20}).wall_seconds == 60
    assert LimitTable().resolve({"cpu_seconds": 1}).wall_seconds == DEFAULT_LIMITS.wall_seconds


@pytest.mark.parametrize("value", [-1, float("nan"), float("inf")])
def test_a_limit_that_is_no_number_is_refused_by_name(value: float) -> None:
    with pytest.raises(ValueError, match=r"limits\.cpu_seconds"):
        LimitTable().resolve({"cpu_seconds": value})


def test_a_default_above_its_maximum_is_refused() -> None:
    with pytest.raises(ValueError, match="pages"):
        LimitTable(default=Limits(pages=5000))
