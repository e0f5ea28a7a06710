"""What the kernel is told of the number of processes of a job."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from i2s_chassis.jail import Tier, confine
from i2s_chassis.jail.cgroup import Hierarchy
from i2s_chassis.jail.plan import CellPlan
from i2s_chassis.limits import Limits

_LIMIT = 6
_PLAN = CellPlan(
    name="1-1",
    tier=Tier.LANDLOCK,
    limits=Limits(processes=_LIMIT),
    uid=None,
    readable=(),
    folder="/state",
    private_mount=False,
    new_user=False,
    poll_seconds=0.05,
    patience=10.0,
    groups=None,
    bwrap="",
)


def test_the_kernel_counts_where_it_counts_the_job_alone() -> None:
    assert confine.process_allowance(replace(_PLAN, tier=Tier.NAMESPACE), 2) == _LIMIT + 2
    assert confine.process_allowance(replace(_PLAN, uid=52_000), 0) == _LIMIT
    assert confine.process_allowance(replace(_PLAN, private_mount=True, new_user=True), 0) == _LIMIT + 1


def test_the_kernel_does_not_count_what_others_count() -> None:
    # RLIMIT_NPROC would be met first, and nobody would know of it.
    groups = Hierarchy(2, Path("/a"), Path("/a"), None)
    for plan in (_PLAN, replace(_PLAN, tier=Tier.NAMESPACE), replace(_PLAN, uid=52_000)):
        assert confine.process_allowance(replace(plan, followed=True), 2) is None
        assert confine.process_allowance(replace(plan, groups=groups), 2) is None


def test_a_kernel_that_counts_a_user_in_all_namespaces_together_counts_users_of_jobs_alone() -> None:
    together = replace(_PLAN, private_mount=True, new_user=True, counted_apart=False)
    for tier in (Tier.NAMESPACE, Tier.LANDLOCK):
        allowance = confine.process_allowance(replace(together, tier=tier), 2)
        assert allowance is not None
        assert allowance > _LIMIT + 2
    assert confine.process_allowance(replace(together, tier=Tier.NAMESPACE, uid=52_000), 2) == _LIMIT + 2
    assert confine.process_allowance(replace(together, uid=52_000), 0) == _LIMIT


def test_the_last_resort_is_what_the_user_runs_now_and_the_limit() -> None:
    allowance = confine.process_allowance(_PLAN, 0)
    assert allowance is not None
    assert allowance > _LIMIT
