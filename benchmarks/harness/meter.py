"""CPU seconds of everything that a process started, measured from outside.

A variant is a tree of processes, most of which live for milliseconds: engines, supervisors, bubblewrap.
With a control group of its own the kernel counts all of them in nanoseconds, whoever reaps them and whenever.
Elsewhere the tree is walked in /proc: utime and stime of the living, cutime and cstime for those that were
waited for (proc(5)); that is counted in ticks of 10 ms a process, and misses what was never waited for.

Neither sees kernel threads, which take network namespaces apart after a sandbox has gone.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path

_PAUSE = 0.003  # between two looks that must agree
_PATIENCE = 100  # looks
_GONE = (FileNotFoundError, ProcessLookupError)


class Meter(ABC):
    """Counts the CPU seconds of the trees of processes that were handed to it."""

    how: str

    @abstractmethod
    def adopt(self, pid: int) -> None:
        """Count a process and all it started and will start."""

    def starting(self) -> contextlib.AbstractContextManager[None]:
        """Count what this process starts meanwhile from its birth; ``adopt`` it all the same.

        A service makes control groups of its own below the one that it is born in, and ``adopt`` leaves
        their processes in them, since a service measures its engines by them.
        """
        return contextlib.nullcontext()

    @abstractmethod
    def cpu_seconds(self) -> float:
        """Return user and system time of all of them so far."""

    @abstractmethod
    def close(self) -> None:
        """Give back what counting needs; the processes have ended."""

    async def settled(self) -> float:
        """Return ``cpu_seconds`` once it stands still, so that clean-up after an answer counts too."""
        last = self.cpu_seconds()
        for _ in range(_PATIENCE):
            await asyncio.sleep(_PAUSE)
            now = self.cpu_seconds()
            if now == last:
                break
            last = now
        return last


class GroupMeter(Meter):
    """A control group: version 1 with a writable cpuacct hierarchy, or version 2."""

    def __init__(self, folder: Path) -> None:
        """Make the group.

        Raises:
            OSError: It may not be made here.
        """
        folder.mkdir()
        self._folder = folder
        self._home = folder.parent
        v1 = folder / "cpuacct.usage"
        self._version = 1 if v1.exists() else 2
        self._file = v1 if self._version == 1 else folder / "cpu.stat"
        self.how = f"control group (version {self._version}), nanoseconds"

    def adopt(self, pid: int) -> None:  # noqa: D102 - inherited
        for member in (pid, *descendants(pid)):
            with contextlib.suppress(*_GONE):
                if not self._counts(member):
                    (self._folder / "cgroup.procs").write_text(str(member))

    def _counts(self, pid: int) -> bool:
        """Return whether a process is in the group, or in one below that a service made for a cell."""
        groups = (line.split(":", 2)[2] for line in _lines(f"/proc/{pid}/cgroup"))
        return any(f"/{self._folder.name}/" in f"{group}/" for group in groups)

    @contextlib.contextmanager
    def starting(self) -> Iterator[None]:  # noqa: D102
        (self._folder / "cgroup.procs").write_text(str(os.getpid()))
        try:
            yield
        finally:
            (self._home / "cgroup.procs").write_text(str(os.getpid()))

    def cpu_seconds(self) -> float:  # noqa: D102
        text = self._file.read_text()
        return int(text) / 1e9 if self._version == 1 else int(text.split()[1]) / 1e6

    def close(self) -> None:  # noqa: D102
        with contextlib.suppress(OSError):
            self._folder.rmdir()


class TreeMeter(Meter):
    """A walk through /proc."""

    how = "walk through /proc, ticks of 10 ms for each process"

    def __init__(self) -> None:
        self._roots: list[int] = []

    def adopt(self, pid: int) -> None:  # noqa: D102
        self._roots.append(pid)

    def cpu_seconds(self) -> float:  # noqa: D102
        pids = [pid for root in self._roots for pid in (root, *descendants(root))]
        return sum(map(_ticks, pids)) / os.sysconf("SC_CLK_TCK")

    def close(self) -> None:  # noqa: D102
        self._roots.clear()


def open_meter(name: str) -> Meter:
    """Return the best meter that this user may have on this machine."""
    for parent in _own_groups():
        with contextlib.suppress(OSError):
            return GroupMeter(parent / f"i2s-benchmark-{os.getpid()}-{name}")
    return TreeMeter()


def own_and_childrens_seconds() -> float:
    """Return the CPU seconds of this process and of its children that it waited for."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


def descendants(pid: int) -> list[int]:
    """Return the pids of all that lives below a process."""
    found: list[int] = []
    queue = [pid]
    while queue:
        with contextlib.suppress(*_GONE):
            for children in Path(f"/proc/{queue.pop()}/task").glob("*/children"):
                below = [int(word) for word in children.read_text().split()]
                found += below
                queue += below
    return found


def own_seconds(pid: int) -> float:
    """Return the CPU seconds of a process alone, in ticks of 10 ms; 0 if it is gone."""
    return sum(_times(pid)[:2]) / os.sysconf("SC_CLK_TCK")


def _ticks(pid: int) -> int:
    return sum(_times(pid))


def _times(pid: int) -> list[int]:
    """Return utime, stime, cutime and cstime of a process, in ticks; nothing if it is gone."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except _GONE:
        return []
    # The name of the program, in parentheses, may hold anything; utime is the 12th field after it.
    return [int(field) for field in stat.rpartition(")")[2].split()[11:15]]


def _own_groups() -> Iterator[Path]:
    """Yield the folders of our own control groups that count CPU time, version 1 first."""
    groups = {
        name: path.lstrip("/")
        for _, names, path in (line.split(":", 2) for line in _lines("/proc/self/cgroup"))
        for name in names.split(",")
    }
    mounts = [line.split()[1:4] for line in _lines("/proc/mounts") if " cgroup" in line]
    for point, kind, options in mounts:
        if kind == "cgroup" and "cpuacct" in options.split(",") and "cpuacct" in groups:
            yield Path(point) / groups["cpuacct"]
    for point, kind, _ in mounts:
        if kind == "cgroup2" and "" in groups:
            yield Path(point) / groups[""]


def _lines(path: str) -> list[str]:
    return Path(path).read_text().splitlines()
