"""Control groups for memory, processes and CPU time, if this service may make them.

Version 1 with writable hierarchies (root), or version 2 if memory and pids are delegated
to the group that the service runs in. Elsewhere there is none, and the supervisor watches.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from i2s_chassis.jail import processes

_MOUNT = Path("/sys/fs/cgroup")
#: The kernel asks for memory of a group in batches of up to 64 pages.
_BATCH_BYTES = 64 * os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """Where groups can be made."""

    #: 1 or 2.
    version: int
    #: Parent of the groups that bound memory.
    memory: Path
    #: Parent of those that bound processes; the same folder in version 2.
    pids: Path
    #: Parent of those that count CPU time, None if it cannot be counted; likewise.
    cpu: Path | None

    @property
    def parents(self) -> set[Path]:
        """All the folders in which a group has to be made."""
        return {path for path in (self.memory, self.pids, self.cpu) if path is not None}

    def remove(self, name: str) -> bool:
        """Remove the group of that name, as far as it exists; returns whether it is gone.

        It stays while any process lives in it.
        """
        folders = [parent / name for parent in self.parents]
        for folder in folders:
            with contextlib.suppress(OSError):
                folder.rmdir()
        return not any(folder.exists() for folder in folders)

    def to_json(self) -> list[Any]:
        """Return what from_json understands."""
        return [self.version, str(self.memory), str(self.pids), str(self.cpu) if self.cpu else None]

    @classmethod
    def from_json(cls, data: list[Any]) -> Hierarchy:
        """Return the hierarchy that to_json was called on."""
        version, memory, pids, cpu = data
        return cls(version, Path(memory), Path(pids), Path(cpu) if cpu else None)


def find() -> Hierarchy | None:
    """Return a hierarchy in which groups can really be made, None if there is none."""
    for candidate in (_version_2(), _version_1()):
        if candidate is not None and _usable(candidate):
            return candidate
    return None


def _own_groups() -> dict[str, str]:
    """Return the group of this process by controller; version 2 has the empty name."""
    groups: dict[str, str] = {}
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        for controller in controllers.split(","):
            groups[controller] = path
    return groups


def _version_1() -> Hierarchy | None:
    groups = _own_groups()
    if "memory" not in groups or "pids" not in groups:
        return None
    memory, pids = (_MOUNT / name / groups[name].lstrip("/") for name in ("memory", "pids"))
    cpu = _MOUNT / "cpuacct" / groups["cpuacct"].lstrip("/") if "cpuacct" in groups else None
    counted = cpu is not None and os.access(cpu, os.W_OK)
    return Hierarchy(1, memory, pids, cpu if counted else None)


def _version_2() -> Hierarchy | None:
    path = _own_groups().get("")
    if path is None:
        return None
    folder = _MOUNT / path.lstrip("/")
    with contextlib.suppress(OSError):
        # Fails where processes live in the group itself, which is then not ours to divide.
        (folder / "cgroup.subtree_control").write_text("+memory +pids")
    try:
        enabled = (folder / "cgroup.subtree_control").read_text().split()
    except OSError:
        return None
    # CPU time is counted in every group of version 2, whatever controllers are enabled.
    return Hierarchy(2, folder, folder, folder) if {"memory", "pids"} <= set(enabled) else None


def _usable(hierarchy: Hierarchy) -> bool:
    try:
        group = ControlGroup(hierarchy, f"i2s-probe-{os.getpid()}", memory_bytes=1 << 30, processes=64)
    except OSError:
        return False
    group.remove()
    return True


class ControlGroup:
    """The control group of one cell."""

    def __init__(self, hierarchy: Hierarchy, name: str, *, memory_bytes: int, processes: int) -> None:
        """Make the group.

        Raises:
            OSError: It may not be made here.
        """
        self._version = hierarchy.version
        self._hierarchy = hierarchy
        self._name = name
        self._folders = [parent / name for parent in hierarchy.parents]
        self._memory = hierarchy.memory / name
        self._pids = hierarchy.pids / name
        self._cpu = hierarchy.cpu / name if hierarchy.cpu else None
        for folder in self._folders:
            folder.mkdir()
        try:
            self.limit_memory(memory_bytes)
            if self._version == 2:
                with contextlib.suppress(OSError):  # absent where the kernel counts no swap
                    (self._memory / "memory.swap.max").write_text("0")
            self.limit_processes(processes)
        except OSError:
            self.remove()
            raise

    def limit_memory(self, memory_bytes: int) -> None:
        """Set the bound on memory.

        Raises:
            OSError: More is in use.
        """
        limit = "memory.max" if self._version == 2 else "memory.limit_in_bytes"
        (self._memory / limit).write_text(str(memory_bytes))

    def limit_processes(self, number: int) -> None:
        """Set the bound on processes and threads; how often it was met is in ``refused_forks``."""
        (self._pids / "pids.max").write_text(str(number))

    def add(self, pid: int) -> None:
        """Move a process into the group; what it starts is born in it."""
        for folder in self._folders:
            (folder / "cgroup.procs").write_text(str(pid))

    def pids(self) -> list[int]:
        """Return the processes in the group; zombies are not included."""
        return [int(pid) for pid in processes.read_kernel_file(f"{self._pids}/cgroup.procs").split()]

    @property
    def counts_time(self) -> bool:
        """Whether it knows the CPU time of all that ever ran in it."""
        return self._cpu is not None

    def cpu_seconds(self) -> float | None:
        """Return the CPU time of all that ever ran in the group, None if it is not counted."""
        if self._cpu is None:
            return None
        if self._version == 2:
            return _counter(f"{self._cpu}/cpu.stat", b"usage_usec") / 1e6
        return int(processes.read_kernel_file(f"{self._cpu}/cpuacct.usage")) / 1e9

    def out_of_memory_kills(self) -> int:
        """Return how many processes the kernel killed for memory, whoever had reached a limit.

        Those of a machine without free memory count too, and those for the limit of a group above.
        """
        name = "memory.events" if self._version == 2 else "memory.oom_control"
        return _counter(f"{self._memory}/{name}", b"oom_kill")

    def own_limit_failures(self) -> int:
        """Return how often memory was refused because of the group's own limit on memory.

        Limits of groups above or below do not count. A kill because of the own limit comes after the
        refusal has been counted. Version 1 also counts refusals after which the kernel has found memory
        in the group's cache of files, so there it takes a kill too to know that the group had too much.
        """
        if self._version == 2:
            local = f"{self._memory}/memory.events.local"  # from Linux 5.2 on
            return _counter(local if os.path.exists(local) else f"{self._memory}/memory.events", b"oom")
        # A huge page may be refused far from the limit, and the kernel then takes small ones.
        if _number(f"{self._memory}/memory.max_usage_in_bytes") < self._memory_limit() - _BATCH_BYTES:
            return 0
        return _number(f"{self._memory}/memory.failcnt")

    def _memory_limit(self) -> int:
        return _number(f"{self._memory}/memory.limit_in_bytes")

    def refused_forks(self) -> int:
        """Return how many new processes the kernel refused."""
        return _counter(f"{self._pids}/pids.events", b"max")

    def remove(self) -> None:
        """Remove the group; nothing may live in it any more."""
        self._hierarchy.remove(self._name)


def _counter(file: str, name: bytes) -> int:
    try:
        lines = processes.read_kernel_file(file).splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith(name + b" ")), 0)


def _number(file: str) -> int:
    try:
        return int(processes.read_kernel_file(file))
    except OSError:
        return 0
