import os

import pytest

from i2s_chassis.cpu import usable_cpus


@pytest.fixture
def eight_cpus(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)))


@pytest.mark.parametrize(
    ("quota", "cpus"),
    [("max 100000", 8), ("200000 100000", 2), ("150000 100000", 2), ("1000 100000", 1), ("", 8)],
)
@pytest.mark.usefixtures("eight_cpus")
def test_quota_of_cgroup_v2_bounds_the_processors(tmp_path, quota, cpus):
    (tmp_path / "cpu.max").write_text(quota)
    assert usable_cpus(tmp_path) == cpus


@pytest.mark.parametrize(("quota", "cpus"), [("-1", 8), ("300000", 3)])
@pytest.mark.usefixtures("eight_cpus")
def test_quota_of_cgroup_v1_bounds_the_processors(tmp_path, quota, cpus):
    (tmp_path / "cpu").mkdir()
    (tmp_path / "cpu/cpu.cfs_quota_us").write_text(quota)
    (tmp_path / "cpu/cpu.cfs_period_us").write_text("100000")
    assert usable_cpus(tmp_path) == cpus


@pytest.mark.usefixtures("eight_cpus")
def test_without_a_cgroup_the_affinity_counts(tmp_path):
    assert usable_cpus(tmp_path) == 8
