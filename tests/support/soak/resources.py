"""What running services hold: memory, processes, descriptors, and entries in temporary folders."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from processes import Process, below, is_there

PR_SET_CHILD_SUBREAPER = 36
#: Entries of /proc/PID/smaps_rollup, in kB. Pages of files are left out: what they are counted with depends
#: on who else on the machine has mapped them.
_MEMORY = ("Pss_Anon", "Pss_Shmem", "SwapPss")

_END_SECONDS = 5.0
_LOOK_SECONDS = 0.05


@dataclass(frozen=True)
class Held:
    """What a service and all processes below it hold.

    Attributes:
        pid: Process id of the service, which changes when it is started again.
        memory: Bytes of anonymous and shared memory, pages of several processes counted once.
        processes: Their number, those that ended and were not waited for among them.
        descriptors: Open descriptors.
    """

    pid: int
    memory: int
    processes: int
    descriptors: int


@dataclass(frozen=True)
class Look:
    """What all services hold at one moment.

    Attributes:
        services: Services by name; a service that is not there is missing.
        orphans: Processes that have outlived the service that they were started by.
        entries: Files and folders in the temporary folder of the services, at any depth.
        running: Threads of services that compute or wait for a processor or a disk.
    """

    services: dict[str, Held]
    orphans: int
    entries: int
    running: int = 0


def adopt_orphans() -> None:
    """Become the parent of all processes below this one whose parent ends, so that they are counted.

    Raises:
        OSError: The kernel refuses.
    """
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "this process cannot adopt orphans")


class Observer:
    """Looks at the services of one keeper.

    Attributes:
        keeper: Number of the process that keeps them.
    """

    def __init__(self, keeper: int, logs: Path, temporary: Path, services: Sequence[str]) -> None:
        self.keeper = keeper
        self._logs, self._temporary, self._services = logs, temporary, services

    def pid(self, service: str) -> int | None:
        """Return the process of a service; None while it is not there."""
        try:
            pid = int(json.loads((self._logs / f"{service}.announce.json").read_text())["pid"])
        except (OSError, ValueError):
            return None
        return pid if Path(f"/proc/{pid}/task").is_dir() else None

    def processes(self, service: str) -> list[Process]:
        """Return the process of a service, which has depth 1, and all below it."""
        pid = self.pid(service)
        return [] if pid is None else [one for one in below(self.keeper) if one.pid == pid] + below(pid, 2)

    def look(self, *, memory: bool = True) -> Look:
        """Return what the services hold now; orphans that ended are waited for.

        Args:
            memory: Whether memory is measured, which takes the kernel a while; it is 0 otherwise.
        """
        self._reap()
        held = {name: self._held(name, memory) for name in self._services}
        kept = {self.keeper, *(one.pid for one in below(self.keeper))}
        orphans = [one for one in below(os.getpid()) if one.pid not in kept]
        entries = sum(len(folders) + len(files) for _, folders, files in os.walk(self._temporary))
        running = sum(_running(process.pid) for name in self._services for process in self.processes(name))
        return Look({name: one for name, one in held.items() if one}, len(orphans), entries, running)

    def _held(self, service: str, memory: bool) -> Held | None:
        pid = self.pid(service)
        if pid is None:
            return None
        pids = [pid, *(one.pid for one in below(pid))]
        taken = sum(map(_memory, pids)) if memory else 0
        return Held(pid, taken, len(pids), sum(map(_descriptors, pids)))

    def _reap(self) -> None:
        for one in below(os.getpid()):
            if one.depth == 1 and one.pid != self.keeper:
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(one.pid, os.WNOHANG)


def left_behind(temporary: Path) -> list[str]:
    """Return what is left after all services have ended; processes that are left are killed.

    Args:
        temporary: The temporary folder of the services.
    """
    end = time.monotonic() + _END_SECONDS
    while (left := _children_left()) and time.monotonic() < end:
        time.sleep(_LOOK_SECONDS)
    for one in left:
        os.kill(one.pid, signal.SIGKILL)
    found = [f"{one.kind} is left after the services have ended" for one in left]
    files = [path.relative_to(temporary) for path in temporary.rglob("*") if not path.is_dir()]
    return found + [f"the file {file} is left after the services have ended" for file in files]


def _children_left() -> list[Process]:
    """Wait for the children that have ended; returns all others and what is below them."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    return [one for one in below(os.getpid()) if is_there(one)]


def least(looks: Iterable[Look]) -> Look:
    """Return the least that was held in several looks at the same services, each number by itself."""
    several = list(looks)
    services = {}
    for name, last in several[-1].services.items():
        same = [one.services[name] for one in several if name in one.services]
        same = [one for one in same if one.pid == last.pid]
        services[name] = Held(
            last.pid,
            min(one.memory for one in same),
            min(one.processes for one in same),
            min(one.descriptors for one in same),
        )
    orphans, entries = min(one.orphans for one in several), min(one.entries for one in several)
    return Look(services, orphans, entries, several[-1].running)


def _memory(pid: int) -> int:
    with contextlib.suppress(OSError):
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        return sum(int(line.split()[1]) for line in lines if line.partition(":")[0] in _MEMORY) * 1024
    return 0


def _descriptors(pid: int) -> int:
    with contextlib.suppress(OSError):
        return len(os.listdir(f"/proc/{pid}/fd"))
    return 0


def _running(pid: int) -> int:
    states = []
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            with contextlib.suppress(OSError):
                states.append((task / "stat").read_text().rpartition(")")[2].split()[0])
    return sum(state in "RD" for state in states)
