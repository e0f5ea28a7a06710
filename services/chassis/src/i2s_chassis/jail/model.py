"""The words of the jail: tiers, how a run ended, what it used, what was prevented; an operator's settings."""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Protocol


class Tier(enum.IntEnum):
    """How strong the isolation is, weakest first. Values equal those of the wire."""

    NONE = 1
    CONTAINER = 2
    LANDLOCK = 3
    NAMESPACE = 4


class Cause(enum.Enum):
    """Why a run ended. Everything but EXITED, SIGNALED, KILLED and STOPPED was the doing of the jail."""

    EXITED = "exited"
    SIGNALED = "signaled"  # by a fault of its own, or by a signal that it could send
    KILLED = "killed"  # by SIGKILL, which neither the jail nor the program can have sent
    CPU_LIMIT = "cpu_limit"
    WALL_LIMIT = "wall_limit"
    MEMORY_LIMIT = "memory_limit"
    PROCESS_LIMIT = "process_limit"
    DISK_LIMIT = "disk_limit"  # bytes, inodes or the size of one file
    STOPPED = "stopped"  # by Cell.stop


class PolicyKind(enum.IntEnum):
    """The kind of attempt that was prevented. Values equal those of the wire."""

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
    """The resources that a run used."""

    #: Wall time.
    wall_seconds: float = 0.0
    #: CPU time of all its processes.
    cpu_seconds: float = 0.0
    #: Resident memory.
    peak_memory_bytes: int = 0
    #: Processes and threads at the same time.
    peak_processes: int = 0
    #: Wall time in which the machine kept it waiting for a processor, see clock.
    waited_seconds: float = 0.0

    @property
    def clock_seconds(self) -> float:
        """Wall time that counts against the limit on it."""
        return max(0.0, self.wall_seconds - self.waited_seconds)

    def since(self, before: Usage) -> Usage:
        """Return what was used since ``before``, which was read of the same run; peaks stay what they are."""
        return replace(
            self,
            wall_seconds=max(0.0, self.wall_seconds - before.wall_seconds),
            cpu_seconds=max(0.0, self.cpu_seconds - before.cpu_seconds),
            waited_seconds=max(0.0, self.waited_seconds - before.waited_seconds),
        )

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
    """How isolated one process is, as the kernel reports it."""

    #: Its number, as the service sees it.
    pid: int
    #: Its command line; arguments are separated by blanks.
    command: str
    #: Number of pid namespaces in which it has a process id, ours included.
    pid_namespaces: int
    #: Number of filters that each of its system calls passes.
    call_filters: int


@dataclass(frozen=True, slots=True)
class Fill:
    """How full a work folder is: bytes on disk, files and folders."""

    used_bytes: int
    used_inodes: int


@dataclass(frozen=True, slots=True)
class Ended:
    """How one run in a cell ended."""

    #: Why.
    cause: Cause
    #: Exit code of the program if cause is EXITED, else -1.
    exit_code: int
    #: The signal that killed it if cause is SIGNALED, else 0.
    signal: int
    #: Usage of this run alone.
    usage: Usage
    #: What it wrote to standard output and standard error, bounded.
    output: Excerpt
    #: What it tried and was prevented from.
    events: tuple[PolicyEvent, ...] = ()


@dataclass(frozen=True, slots=True)
class Isolation:
    """The confinement of jobs."""

    #: The tier in force.
    tier: Tier
    #: What it is made of on this machine, for people to read.
    mechanisms: tuple[str, ...]
    #: Version of Landlock's interface in force, 0 if there is none.
    landlock_abi: int = 0


@dataclass(frozen=True, slots=True)
class JailSettings:
    """How jobs are to be confined."""

    #: The only tier to try; None tries them from the strongest down. CONTAINER is refused on every kernel but
    #: gVisor's, and is tried by None there alone.
    tier: Tier | None = None
    #: Serve with tier NONE if no other works (or if tier is NONE).
    allow_unsandboxed: bool = False
    #: Folder in which the jail makes one for the work folders of jobs, reachable by other users. None: the
    #: system's temporary folder.
    state_dir: Path | None = None
    #: First of the users that jobs run as if the service runs as root. One for each cell that is open at the
    #: same time; no real user may have these ids.
    uid_base: int = 52_000
    #: Number of those users.
    uid_count: int = 256
    #: How often memory, processes and disk of a job are measured.
    poll_seconds: float = 0.05
    #: A loaded machine keeps jobs waiting for a processor, which does not count against their limit on wall
    #: time. After this many times that limit a job is given up all the same.
    patience: float = 10.0
    #: Give each cell a tmpfs of its own if that is possible.
    private_mounts: bool = True
    #: Use control groups if that is possible.
    control_groups: bool = True
    #: Program of the namespace tier, by name or path.
    bwrap: str = "bwrap"
    #: Refuse a tier in which a nesting cell has no /proc, before its escape tests.
    nesting: bool = False


class _Dataclass(Protocol):
    __dataclass_fields__: ClassVar[dict[str, Any]]


def fields_of(instance: _Dataclass) -> dict[str, Any]:
    """Return the fields of a dataclass by name, each as it is.

    ``dataclasses.asdict`` copies every value deeply, which takes ten times as long, and each job needs it
    fifteen times.
    """
    return {name: getattr(instance, name) for name in instance.__dataclass_fields__}
