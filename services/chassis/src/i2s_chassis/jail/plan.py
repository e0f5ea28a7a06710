"""What a cell is to be: the message that makes one."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from i2s_chassis.fields import fields_of
from i2s_chassis.jail import cgroup
from i2s_chassis.jail.model import Tier
from i2s_chassis.jail.substitutes import Substitute
from i2s_chassis.job_limits import Limits

#: What every program sees of the machine, read-only. Missing ones are passed over.
SYSTEM_READABLE = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/etc/alternatives",
    "/etc/fonts",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    # Which the C library reads before it asks for huge pages; without them loading a large file costs more.
    "/sys/kernel/mm/transparent_hugepage",
)

#: Device files that every program may read and write.
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")

#: What a program that makes namespaces inside of its own reads and writes too.
PROCESSES = "/proc"

#: Where programs may find descriptors that the caller gives them.
CHANNEL_NUMBERS = frozenset(range(10))

#: Where the work folder lies in the namespace tier.
WORK_IN_NAMESPACE = "/i2s-work"


@dataclass(frozen=True, slots=True)
class CellPlan:
    """Everything the supervisor of a cell must know.

    Attributes:
        name: Unique among the cells of a jail.
        tier: The sandbox tier.
        limits: Limits of every run; CPU and wall are the budget of the whole cell.
        uid: User that programs run as, None for the one we are.
        readable: Paths that programs may read beside SYSTEM_READABLE.
        folder: Where the supervisor may make the cell's own folder.
        private_mount: Whether the work folder is a tmpfs in a mount namespace of the supervisor.
        new_user: Whether that mount namespace needs a user namespace too (ordinary users).
        poll_seconds: How often the supervisor looks at memory, processes and disk.
        patience: Times its limit on wall time after which a job that is kept waiting is given up.
        groups: Where control groups can be made, None if they cannot.
        bwrap: Path of bubblewrap.
        channels: Numbers at which programs find the descriptors that came with the plan.
        nesting: Whether programs may make namespaces inside of theirs.
        counted_apart: Whether the kernel counts the processes of a user for each user namespace (Linux 5.14).
        followed: Whether each process of a program is followed from its birth, see follow.
        landlock_abi: Version of Landlock's interface to use, 0 to do without Landlock.
        substitutes: What the system call filter controls in place of an older Landlock.
    """

    name: str
    tier: Tier
    limits: Limits
    uid: int | None
    readable: tuple[str, ...]
    folder: str
    private_mount: bool
    new_user: bool
    poll_seconds: float
    patience: float
    groups: cgroup.Hierarchy | None
    bwrap: str
    channels: tuple[int, ...] = ()
    nesting: bool = False
    counted_apart: bool = True
    followed: bool = False
    landlock_abi: int = 0
    substitutes: tuple[Substitute, ...] = ()

    @property
    def host_workdir(self) -> str:
        """The work folder in the supervisor's view."""
        return f"{self.folder}/{self.name}"

    @property
    def workdir(self) -> str:
        """The work folder in the program's view."""
        return WORK_IN_NAMESPACE if self.tier is Tier.NAMESPACE else self.host_workdir

    @property
    def owner(self) -> int:
        """User that programs run as."""
        return os.geteuid() if self.uid is None else self.uid

    @property
    def known_by_user(self) -> int | None:
        """The user by whom alone processes of the job can be found, None if they are below the supervisor.

        Raises:
            ValueError: There is none, so nothing would find them.
        """
        if self.tier is not Tier.CONTAINER:
            return None
        if self.uid is None:
            raise ValueError("in the tier container a cell has a user of its own")
        return self.uid

    @property
    def sees_processes(self) -> bool:
        """Whether programs have a /proc, in which then no processes but those of the cell are seen."""
        return self.nesting and (self.tier is Tier.NAMESPACE or self.mounts_processes)

    @property
    def mounts_processes(self) -> bool:
        """Whether that /proc has to be mounted for each program, which only root can do."""
        own_user = self.uid is not None
        return self.nesting and self.tier is Tier.LANDLOCK and own_user and self.private_mount

    def to_json(self) -> dict[str, Any]:
        """Return what from_json understands."""
        data = fields_of(self)
        data["tier"] = int(self.tier)
        data["limits"] = fields_of(self.limits)
        if self.groups is not None:
            data["groups"] = self.groups.to_json()
        return data

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> CellPlan:
        """Return the plan that to_json was called on."""
        fields = dict(data)
        fields["tier"] = Tier(fields["tier"])
        fields["limits"] = Limits(**fields["limits"])
        fields["readable"] = tuple(fields["readable"])
        fields["channels"] = tuple(fields["channels"])
        fields["substitutes"] = tuple(map(Substitute, fields["substitutes"]))
        if fields["groups"] is not None:
            fields["groups"] = cgroup.Hierarchy.from_json(fields["groups"])
        return cls(**fields)
