"""Quotas of single callers."""

from __future__ import annotations

import pytest

from i2s_chassis.callers.quota import CallerAccount, CallerAccounts, Quota


def test_no_bound_is_never_used_up():
    account = CallerAccount(Quota(), 0.0)
    for _ in range(1000):
        account.spend("jobs", 1, 0.0)
    assert account.overdrawn(0.0) is None
    assert account.has_place(1)


def test_jobs_of_a_minute_come_back_evenly():
    account = CallerAccount(Quota(jobs_per_minute=6), 0.0)
    for _ in range(6):
        assert account.overdrawn(0.0) is None
        account.spend("jobs", 1, 0.0)
    assert account.overdrawn(0.0) == ("6 jobs a minute", pytest.approx(10.0))
    assert account.overdrawn(4.0) == ("6 jobs a minute", pytest.approx(6.0))
    assert account.overdrawn(10.01) is None


def test_what_a_job_cost_is_paid_back_before_the_next():
    account = CallerAccount(Quota(cpu_seconds_per_minute=30), 0.0)
    account.spend("CPU seconds", 90, 0.0)
    assert account.overdrawn(0.0) == ("30 CPU seconds a minute", pytest.approx(120.0))
    assert account.overdrawn(120.1) is None


def test_less_than_one_job_a_minute_is_possible():
    account = CallerAccount(Quota(jobs_per_minute=0.5), 0.0)
    assert account.overdrawn(0.0) is None
    account.spend("jobs", 1, 0.0)
    assert account.overdrawn(0.0) == ("0.5 jobs a minute", pytest.approx(120.0))


def test_a_time_before_the_last_one_takes_nothing_away():
    account = CallerAccount(Quota(jobs_per_minute=0.5), 10.0)
    assert account.overdrawn(9.999) is None


def test_queued_jobs_are_counted_beyond_the_slots():
    account = CallerAccount(Quota(slots=2, queued=3), 0.0)
    account.inside = 4
    assert account.has_place(100)
    account.inside = 5
    assert not account.has_place(100)


def test_accounts_follow_the_quota_of_the_list(clock):
    quotas = {}
    accounts = CallerAccounts(Quota(), clock, quotas.get)
    accounts.of("lab").inside = 3
    quotas["lab"] = Quota(queued=1)
    assert accounts.of("lab").quota.queued == 1
    assert accounts.of("lab").inside == 3


def test_settled_accounts_are_dropped(clock):
    accounts = CallerAccounts(Quota(jobs_per_minute=1), clock)
    accounts.of("debtor").spend("jobs", 100, clock())
    for number in range(20_000):
        accounts.of(f"peer {number}")
    assert len(accounts._accounts) <= 8193
    assert accounts.of("debtor").overdrawn(clock()) is not None


@pytest.mark.parametrize("value", [-1, float("nan"), float("inf")])
def test_a_bound_without_meaning_is_refused(value):
    with pytest.raises(ValueError, match="jobs_per_minute"):
        Quota(jobs_per_minute=value)
