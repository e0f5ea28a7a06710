"""What of a soak is a fault: what services hold must not grow with the jobs that they have served."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from soak.resources import Held, Look

MIB = 1 << 20


@dataclass(frozen=True)
class Tolerance:
    """How much more than after the warm-up services may hold once they are quiet again.

    Attributes:
        processes: Processes of one service, since some warm ones may be about to be replaced.
        descriptors: Open descriptors of one service and its processes.
        entries: Files and folders in the temporary folder.
        memory: Bytes, of one service, however many jobs there were.
        memory_of_a_job: Bytes for each job, if that is more. A service that keeps a megabyte of each job is
            beyond it after as many jobs as ``memory`` has megabytes.
    """

    processes: int = 2
    descriptors: int = 8
    entries: int = 4
    memory: int = 24 * MIB
    memory_of_a_job: int = MIB // 5


@dataclass(frozen=True)
class Checkpoint:
    """What quiet services hold after some jobs.

    Attributes:
        jobs: How many each service has served.
        look: Memory, processes, descriptors and temporary files of the services.
    """

    jobs: dict[str, int]
    look: Look


def excess(first: Look, now: Look, allowed: Tolerance) -> list[str]:
    """Return what is held beyond the tolerance, less memory, which has a trend; empty for nothing.

    Args:
        first: What was held after the warm-up.
        now: What is held now.
        allowed: The most by which it may be more.
    """
    found = [f"{name} is not there" for name in first.services if name not in now.services]
    for name, service in now.services.items():
        was = first.services[name]
        for what, before, after, more in (
            ("processes", was.processes, service.processes, allowed.processes),
            ("descriptors", was.descriptors, service.descriptors, allowed.descriptors),
        ):
            if after > before + more:
                found.append(f"{name} holds {after} {what}, {before} after the warm-up")
    if now.orphans:
        found.append(f"{now.orphans} processes have outlived their service")
    if now.entries > first.entries + allowed.entries:
        found.append(f"{now.entries} entries in the temporary folder, {first.entries} after the warm-up")
    return found


def growth(checkpoints: Sequence[Checkpoint], service: str, value: Callable[[Held], int]) -> float:
    """Return by how much what a service holds grows with a job: the median slope of pairs of checkpoints.

    Pairs between which the service was started again do not count; 0 where there is no other.
    """
    points = [
        (checkpoint.jobs[service], checkpoint.look.services[service])
        for checkpoint in checkpoints
        if service in checkpoint.look.services
    ]
    slopes = [
        (value(after) - value(before)) / (jobs - earlier)
        for (earlier, before), (jobs, after) in itertools.combinations(points, 2)
        if before.pid == after.pid and jobs > earlier
    ]
    return statistics.median(slopes) if slopes else 0.0


def memory_complaints(checkpoints: Sequence[Checkpoint], allowed: Tolerance) -> list[str]:
    """Return which services' memory grows with the jobs beyond the tolerance."""
    found = []
    for name, jobs in checkpoints[-1].jobs.items():
        served = jobs - checkpoints[0].jobs[name]
        slope = growth(checkpoints, name, lambda held: held.memory)
        if slope * served > max(allowed.memory, allowed.memory_of_a_job * served):
            found.append(f"{name} keeps {slope / MIB:.2f} MiB of each of {served} jobs")
    return found
