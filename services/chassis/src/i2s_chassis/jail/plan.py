"""The plan of a cell: the message that makes one, and what the spawner permits to it.

The spawner keeps the rights that the service was started with, and reads what a service sends that may have
been taken over. So its bounds are fixed before the service gives up its rights: a plan may choose its name,
its limits up to ceilings, what it reads of a list, and its channels. Everything else must be what was fixed
at the start.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from i2s_chassis.jail import cgroup
from i2s_chassis.jail.errors import CellError
from i2s_chassis.jail.landlock import Substitute
from i2s_chassis.jail.model import Tier, fields_of
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
    """Everything the supervisor of a cell must know."""

    #: Unique among the cells of a jail.
    name: str
    #: The sandbox tier.
    tier: Tier
    #: Limits of every run; CPU and wall are the budget of the whole cell.
    limits: Limits
    #: User that programs run as, None for the one we are.
    uid: int | None
    #: Paths that programs may read beside SYSTEM_READABLE.
    readable: tuple[str, ...]
    #: Where the supervisor may make the cell's own folder.
    folder: str
    #: Whether the work folder is a tmpfs in a mount namespace of the supervisor.
    private_mount: bool
    #: Whether that mount namespace needs a user namespace too (ordinary users).
    new_user: bool
    #: How often the supervisor looks at memory, processes and disk.
    poll_seconds: float
    #: Times its limit on wall time after which a job that is kept waiting is given up.
    patience: float
    #: Where control groups can be made, None if they cannot.
    groups: cgroup.Hierarchy | None
    #: Path of bubblewrap.
    bwrap: str
    #: Numbers at which programs find the descriptors that came with the plan.
    channels: tuple[int, ...] = ()
    #: Whether programs may make namespaces inside of theirs.
    nesting: bool = False
    #: Whether the kernel counts the processes of a user for each user namespace (Linux 5.14).
    counted_apart: bool = True
    #: Whether each process of a program is followed from its birth, see follow.
    followed: bool = False
    #: Version of Landlock's interface to use, 0 to do without Landlock.
    landlock_abi: int = 0
    #: What the system call filter controls in place of an older Landlock.
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


_CELL_NAME = re.compile(r"[0-9a-f]{8}-[0-9]{1,12}")
_CHOSEN_FIELDS = ("name", "limits", "readable", "channels", "nesting")
_MOST_PATHS = 256
#: Ceiling for a program that stays: its budget is renewed with each job, so that of a job does not apply.
_MOST_SECONDS = 366 * 86_400.0


class RefusedError(CellError):
    """A plan asks for more than is permitted."""


@dataclass(frozen=True, slots=True)
class PlanBounds:
    """The bounds of plans."""

    #: What every plan must equal but for its name, limits, readable paths, channels and nesting.
    template: CellPlan
    #: Files and folders; a plan may name these and what lies below them.
    readable: tuple[str, ...]
    #: Most of each limit. Times are bounded by a year, as a program that stays has them renewed.
    ceilings: Limits

    def permitted(self, plan: CellPlan) -> CellPlan:
        """Return a plan that is permitted, made of the template.

        Raises:
            RefusedError: It asks for something else; says what.
        """
        chosen = {name: getattr(plan, name) for name in _CHOSEN_FIELDS}
        made = replace(self.template, **chosen)
        if plan != made:
            different = [
                field.name
                for field in fields(CellPlan)
                if getattr(plan, field.name) != getattr(made, field.name)
            ]
            raise RefusedError(f"a plan with other {', '.join(different)} than fixed at the start")
        if not isinstance(plan.name, str) or not _CELL_NAME.fullmatch(plan.name):
            raise RefusedError("a plan with a name that is none")
        if not isinstance(plan.nesting, bool):
            raise RefusedError("a plan with a nesting that is neither true nor false")
        if not set(plan.channels) <= CHANNEL_NUMBERS or len(set(plan.channels)) < len(plan.channels):
            raise RefusedError("a plan with channels that are none")
        self.check_limits(plan.limits)
        self._check_readable(plan.readable)
        return made

    def check_limits(self, limits: Limits) -> None:
        """Check limits against the ceilings.

        Raises:
            RefusedError: One is above its ceiling, or no number above 0.
        """
        for name, value in fields_of(limits).items():
            most = _MOST_SECONDS if name.endswith("_seconds") else getattr(self.ceilings, name)
            whole = not name.endswith("_seconds")
            kinds = (int,) if whole else (int, float)
            if isinstance(value, bool) or not isinstance(value, kinds) or not math.isfinite(value):
                raise RefusedError(f"a limit {name} that is no number")
            if not 0 < value <= most:
                raise RefusedError(f"a limit {name} of {value}, which is not above 0 and at most {most}")

    def _check_readable(self, paths: tuple[str, ...]) -> None:
        if len(paths) > _MOST_PATHS:
            raise RefusedError(f"a plan with {len(paths)} readable paths")
        for path in paths:
            if not isinstance(path, str) or not path.startswith("/") or os.path.normpath(path) != path:
                raise RefusedError("a readable path that is not absolute and plain")
            real = os.path.realpath(path)
            if not any(
                _is_below(path, root) and _is_below(real, os.path.realpath(root)) for root in self.readable
            ):
                raise RefusedError(f"a readable path beyond those fixed at the start: {path[:200]}")

    def to_json(self) -> dict[str, Any]:
        """Return what from_json understands."""
        return {
            "template": self.template.to_json(),
            "readable": list(self.readable),
            "ceilings": fields_of(self.ceilings),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> PlanBounds:
        """Return the bounds that to_json was called on."""
        template = CellPlan.from_json(data["template"])
        return cls(template, tuple(data["readable"]), Limits(**data["ceilings"]))


def _is_below(path: str, root: str) -> bool:
    return path == root or path.startswith(root.rstrip("/") + "/")


@dataclass(frozen=True, slots=True)
class Terms:
    """The message that the spawner receives once, before anything else."""

    #: First of the users that jobs run as if the spawner is root.
    uid_base: int
    #: Number of those users.
    uid_count: int
    #: Where work folders are made.
    folder: str
    #: Folder that the monitor removes; empty if the service does so itself.
    removed_at_end: str
    #: What plans may ask for; None if who sends them has the rights of the spawner anyway.
    bounds: PlanBounds | None = None

    def to_json(self) -> dict[str, Any]:
        """Return what from_json understands."""
        data = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "bounds"}
        return {**data, "bounds": None if self.bounds is None else self.bounds.to_json()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Terms:
        """Return the terms that to_json was called on."""
        bounds = data["bounds"]
        return cls(**{**data, "bounds": None if bounds is None else PlanBounds.from_json(bounds)})
