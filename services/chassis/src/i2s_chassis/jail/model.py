"""The words of the jail: tiers, how a run ended, what it used, what was prevented; an operator's settings."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol


class Tier(enum.IntEnum):
    """How strong the isolation is, weakest first. Values equal those of the wire."""

    NONE = 1
    CONTAINER = 2
    LANDLOCK = 3
    NAMESPACE = 4


class Cause(enum.Enum):
    """Why a run ended. Everything but EXITED, SIGNALED and STOPPED was the doing of the jail."""

    EXITED = "exited"
    SIGNALED = "signaled"
    CPU_LIMIT = "cpu_limit"
    WALL_LIMIT = "wall_limit"
    MEMORY_LIMIT = "memory_limit"
    PROCESS_LIMIT = "process_limit"
    DISK_LIMIT = "disk_limit"  # bytes, inodes or the size of one file
    STOPPED = "stopped"  # by Cell.stop


class PolicyKind(enum.IntEnum):
    """What kind of attempt was prevented. Values equal those of the wire."""

    FILE_READ = 1
    FILE_WRITE = 2
    NETWORK = 3
    EXECUTE = 4
    SYSTEM_CALL = 5
    LEFT_BEHIND = 6
    IRREGULAR_OUTPUT = 7
    BROWSER_FEATURE = 8


@dataclass(frozen=True, slots=True)
class PolicyEvent:
    """One thing that was tried and prevented."""

    kind: PolicyKind
    detail: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class Usage:
    """What a run used.

    Attributes:
        wall_seconds: Wall time.
        cpu_seconds: CPU time of all its processes.
        peak_memory_bytes: Resident memory.
        peak_processes: Processes and threads at the same time.
        waited_seconds: Wall time in which the machine kept it waiting for a processor, see clock.
    """

    wall_seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_memory_bytes: int = 0
    peak_processes: int = 0
    waited_seconds: float = 0.0

    @property
    def clock_seconds(self) -> float:
        """Wall time that counts against the limit on it."""
        return max(0.0, self.wall_seconds - self.waited_seconds)

    def __add__(self, other: Usage) -> Usage:
        """Return both one after the other: times add up, peaks do not."""
        return Usage(
            self.wall_seconds + other.wall_seconds,
            self.cpu_seconds + other.cpu_seconds,
            max(self.peak_memory_bytes, other.peak_memory_bytes),
            max(self.peak_processes, other.peak_processes),
            self.waited_seconds + other.waited_seconds,
        )


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Head and tail of something that may be long; ``tail`` is empty if head is all of it."""

    head: bytes
    tail: bytes
    total_bytes: int

    @property
    def whole(self) -> bytes:
        """Head and tail together, with a line between them that says what is missing."""
        if not self.tail:
            return self.head
        missing = self.total_bytes - len(self.head) - len(self.tail)
        return self.head + b"\n[... %d bytes left out ...]\n" % missing + self.tail


@dataclass(frozen=True, slots=True)
class ProcessIsolation:
    """How isolated one process is, as the kernel reports it.

    Attributes:
        pid: Its number, as the service sees it.
        command: Its command line; arguments are separated by blanks.
        pid_namespaces: Number of pid namespaces in which it has a process id, ours included.
        call_filters: Number of filters that each of its system calls passes.
    """

    pid: int
    command: str
    pid_namespaces: int
    call_filters: int


@dataclass(frozen=True, slots=True)
class Fill:
    """How full a work folder is: bytes on disk, files and folders."""

    used_bytes: int
    used_inodes: int


@dataclass(frozen=True, slots=True)
class Ended:
    """How one run in a cell ended.

    Attributes:
        cause: Why.
        exit_code: Exit code of the program if cause is EXITED, else -1.
        signal: The signal that killed it if cause is SIGNALED, else 0. SIGKILL also if the kernel killed one
            of its processes because others had used up the memory.
        usage: Usage of this run alone.
        output: What it wrote to standard output and standard error, bounded.
        events: What it tried and was prevented from.
    """

    cause: Cause
    exit_code: int
    signal: int
    usage: Usage
    output: Excerpt
    events: tuple[PolicyEvent, ...] = ()


@dataclass(frozen=True, slots=True)
class Isolation:
    """What jobs are confined by.

    Attributes:
        tier: The tier in force.
        mechanisms: What it is made of on this machine, for people to read.
        landlock_abi: Version of Landlock's interface in force, 0 if there is none.
    """

    tier: Tier
    mechanisms: tuple[str, ...]
    landlock_abi: int = 0


@dataclass(frozen=True, slots=True)
class JailSettings:
    """How jobs are to be confined.

    Attributes:
        tier: The only tier to try; None tries them from the strongest down. CONTAINER is refused
            on every kernel but gVisor's, and is tried by None there alone.
        allow_unsandboxed: Serve with tier NONE if no other works (or if tier is NONE).
        state_dir: Folder in which the jail makes one for the work folders of jobs, reachable by other
            users. None: the system's temporary folder.
        uid_base: First of the users that jobs run as if the service runs as root. One
            for each cell that is open at the same time; no real user may have these ids.
        uid_count: Number of those users.
        poll_seconds: How often memory, processes and disk of a job are measured.
        patience: A loaded machine keeps jobs waiting for a processor, which does not count against their
            limit on wall time. After this many times that limit a job is given up all the same.
        private_mounts: Give each cell a tmpfs of its own if that is possible.
        control_groups: Use control groups if that is possible.
        bwrap: Program of the namespace tier, by name or path.
        nesting: Refuse a tier in which a nesting cell has no /proc, before its escape tests.
    """

    tier: Tier | None = None
    allow_unsandboxed: bool = False
    state_dir: Path | None = None
    uid_base: int = 52_000
    uid_count: int = 256
    poll_seconds: float = 0.05
    patience: float = 10.0
    private_mounts: bool = True
    control_groups: bool = True
    bwrap: str = "bwrap"
    nesting: bool = False


class _Dataclass(Protocol):
    __dataclass_fields__: ClassVar[dict[str, Any]]


def fields_of(one: _Dataclass) -> dict[str, Any]:
    """Return the fields of a dataclass by name, each as it is.

    ``dataclasses.asdict`` copies every value deeply, which takes ten times as long, and each job needs it
    fifteen times.
    """
    return {name: getattr(one, name) for name in one.__dataclass_fields__}
