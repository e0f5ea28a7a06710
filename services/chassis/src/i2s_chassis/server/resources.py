"""Memory and processor time of everything in the container of a service, and their limits, for Prometheus.

Read when Prometheus asks: from the control group of the container, or of the machine if there is none. The
number of processors that a service may really use is read there too.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

_GROUPS = Path("/sys/fs/cgroup")
_PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class Resources:
    """The resources that the processes of a container use, those of jobs included."""

    #: Memory less pages of files that can be dropped at once: the working set of Kubernetes.
    memory_bytes: int
    #: Limit of the container, else the memory of the machine.
    memory_limit_bytes: int
    #: CPU seconds since the start of the container.
    cpu_seconds: float
    #: Processors that may be busy at once: the quota, else those that may be used.
    cpu_limit: float


def read_resources(groups: Path = _GROUPS, proc: Path = _PROC) -> Resources:
    """Return what is used now.

    Args:
        groups: Where control groups are mounted; of version 1 or 2.
        proc: Where the files of the kernel are.

    Raises:
        OSError: The kernel does not say.
    """
    total = _field(proc / "meminfo", "MemTotal:") * 1024
    if (groups / "memory.current").exists():
        current = int((groups / "memory.current").read_text())
        used, limit = current - _field(groups / "memory.stat", "inactive_file"), _limit(groups / "memory.max")
    elif (memory := groups / "memory").is_dir():
        current = int((memory / "memory.usage_in_bytes").read_text())
        used = current - _field(memory / "memory.stat", "total_inactive_file")
        limit = _limit(memory / "memory.limit_in_bytes")
    else:
        used, limit = total - _field(proc / "meminfo", "MemAvailable:") * 1024, None
    return Resources(
        memory_bytes=max(0, used),
        memory_limit_bytes=min(total, limit or total),
        cpu_seconds=_cpu_seconds(groups, proc),
        cpu_limit=cpu_quota(groups) or float(len(os.sched_getaffinity(0))),
    )


class ResourceCollector(Collector):
    """Exports the resources of a service; nothing if the kernel does not say them.

    Args:
        service: Value of the label.
        groups: See ``read_resources``.
        proc: Folder, likewise.
    """

    def __init__(self, service: str, groups: Path = _GROUPS, proc: Path = _PROC) -> None:
        self._service, self._groups, self._proc = service, groups, proc

    def describe(self) -> Iterator[Metric]:
        """Yield the series without values, so that registering them reads nothing."""
        yield from self._families()

    def collect(self) -> Iterator[Metric]:
        """Yield the series as they are now."""
        families = self._families()
        try:
            now = read_resources(self._groups, self._proc)
        except (OSError, ValueError):
            return
        values = (now.memory_bytes, now.memory_limit_bytes, now.cpu_seconds, now.cpu_limit)
        for family, value in zip(families, values, strict=True):
            family.add_metric([self._service], value)
            yield family

    def _families(self) -> tuple[GaugeMetricFamily | CounterMetricFamily, ...]:
        labels = ("service",)
        return (
            GaugeMetricFamily("i2s_memory_bytes", "Memory in use in the container.", labels=labels),
            GaugeMetricFamily("i2s_memory_limit_bytes", "Memory that it may use.", labels=labels),
            CounterMetricFamily("i2s_cpu_seconds", "Processor time used in the container.", labels=labels),
            GaugeMetricFamily("i2s_cpu_limit", "Processors that may be busy at once.", labels=labels),
        )


def _cpu_seconds(groups: Path, proc: Path) -> float:
    if (groups / "cpu.stat").exists():
        return _field(groups / "cpu.stat", "usage_usec") / 1e6
    if (usage := groups / "cpuacct" / "cpuacct.usage").exists():
        return int(usage.read_text()) / 1e9
    user, nice, system, _, _, irq, softirq = map(int, (proc / "stat").read_text().split(maxsplit=8)[1:8])
    return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")


def _limit(file: Path) -> int | None:
    text = file.read_text().strip()
    return None if text == "max" else int(text)


def _field(file: Path, name: str) -> int:
    """Return the number that follows a name at the beginning of a line.

    Raises:
        OSError: There is none.
    """
    for line in file.read_text().splitlines():
        words = line.split()
        if words and words[0] == name:
            return int(words[1])
    raise OSError(f"{file} has no {name}")


def usable_cpus(cgroup: Path = Path("/sys/fs/cgroup")) -> int:
    """Return the number of processors, at least 1.

    The lesser of the affinity mask and the CPU quota of the control group, rounded up: a pod that
    may use two processors of a big machine sees all of them in the mask. Quotas: ``cpu.max`` of
    cgroup v2, ``cpu.cfs_quota_us`` and ``cpu.cfs_period_us`` of v1.
    """
    usable = len(os.sched_getaffinity(0))
    quota = cpu_quota(cgroup)
    return max(1, min(usable, math.ceil(quota))) if quota else usable


def cpu_quota(cgroup: Path = Path("/sys/fs/cgroup")) -> float | None:
    """Return the processors that the control group may keep busy, such as 0.5; None if it has no quota."""
    try:
        if (v2 := cgroup / "cpu.max").is_file():
            quota, period = v2.read_text().split()
        else:
            quota = (cgroup / "cpu" / "cpu.cfs_quota_us").read_text()
            period = (cgroup / "cpu" / "cpu.cfs_period_us").read_text()
        return int(quota) / int(period) if int(quota) > 0 else None
    except (OSError, ValueError, ZeroDivisionError):  # no quota: absent, or the word "max"
        return None
