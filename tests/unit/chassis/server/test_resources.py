from __future__ import annotations

import os
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry, generate_latest

from i2s_chassis.server.resources import ResourceCollector, Resources, read_resources, usable_cpus

GIB = 1 << 30


def write(folder: Path, **files: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text + "\n")


@pytest.fixture
def proc(tmp_path) -> Path:
    write(
        tmp_path / "proc",
        meminfo=f"MemTotal: {16 * GIB // 1024} kB\nMemFree: 1 kB\nMemAvailable: {10 * GIB // 1024} kB",
        stat="cpu  1000 100 300 99999 5 10 90 0 0 0\ncpu0 1 2 3",
    )
    return tmp_path / "proc"


@pytest.fixture
def groups(tmp_path) -> Path:
    (tmp_path / "groups").mkdir()
    return tmp_path / "groups"


def test_a_container_with_limits_in_version_2(groups, proc):
    write(
        groups,
        memory__current=str(3 * GIB),
        memory__stat=f"anon 5\ninactive_file {GIB}\nactive_file 7",
        memory__max=str(4 * GIB),
        cpu__stat="usage_usec 2500000\nuser_usec 1",
        cpu__max="150000 100000",
    )
    assert read_resources(groups, proc) == Resources(2 * GIB, 4 * GIB, 2.5, 1.5)


def test_a_container_without_limits_has_those_of_the_machine(groups, proc):
    write(
        groups,
        memory__current=str(GIB),
        memory__stat="inactive_file 0",
        memory__max="max",
        cpu__stat="usage_usec 1000000",
        cpu__max="max 100000",
    )
    assert read_resources(groups, proc) == Resources(GIB, 16 * GIB, 1.0, len(os.sched_getaffinity(0)))


def test_a_container_in_version_1(groups, proc):
    write(
        groups / "memory",
        memory__usage_in_bytes=str(3 * GIB),
        memory__stat=f"inactive_file 1\ntotal_inactive_file {GIB}",
        memory__limit_in_bytes=str(2 * GIB),
    )
    write(groups / "cpuacct", cpuacct__usage="7500000000")
    write(groups / "cpu", cpu__cfs_quota_us="50000", cpu__cfs_period_us="100000")
    assert read_resources(groups, proc) == Resources(2 * GIB, 2 * GIB, 7.5, 0.5)


def test_a_limit_of_version_1_that_is_none_is_the_memory_of_the_machine(groups, proc):
    write(
        groups / "memory",
        memory__usage_in_bytes="1",
        memory__stat="total_inactive_file 5",
        memory__limit_in_bytes=str((1 << 63) - 4096),
    )
    assert read_resources(groups, proc).memory_limit_bytes == 16 * GIB
    assert read_resources(groups, proc).memory_bytes == 0


def test_outside_of_containers_it_is_the_machine(groups, proc):
    found = read_resources(groups, proc)
    assert (found.memory_bytes, found.memory_limit_bytes) == (6 * GIB, 16 * GIB)
    assert found.cpu_seconds == pytest.approx(1500 / os.sysconf("SC_CLK_TCK"))


def test_here_something_is_used_and_nothing_beyond_its_limit():
    first = read_resources()
    sum(number * number for number in range(3_000_000))
    second = read_resources()
    assert 0 < first.memory_bytes <= first.memory_limit_bytes
    assert 0 < first.cpu_seconds < second.cpu_seconds
    assert 0 < first.cpu_limit <= (os.cpu_count() or 1)


def test_the_series_are_exported_and_left_out_where_the_kernel_does_not_say(groups, proc, tmp_path):
    registry = CollectorRegistry()
    registry.register(ResourceCollector("render-latex", groups, proc))
    assert registry.get_sample_value("i2s_memory_limit_bytes", {"service": "render-latex"}) == 16 * GIB
    assert registry.get_sample_value("i2s_cpu_seconds_total", {"service": "render-latex"}) > 0
    silent = CollectorRegistry()
    silent.register(ResourceCollector("render-latex", groups, tmp_path / "nothing"))
    assert generate_latest(silent) == b""


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
