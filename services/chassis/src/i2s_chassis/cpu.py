"""How many processors this process may really use."""

from __future__ import annotations

import math
import os
from pathlib import Path


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
