"""What a supervisor is asked to run, and the cell that it runs in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from i2s_chassis.jail import cgroup
from i2s_chassis.jail.namespace import Sandbox
from i2s_chassis.jail.plan import CellPlan
from i2s_chassis.jail.workspace import Workspace


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What to run, and how much of the cell's budget it may use."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    probe: str | None
    cpu_seconds: float
    wall_seconds: float


@dataclass(frozen=True, slots=True)
class CellContext:
    """The cell that a program is to run in.

    Attributes:
        plan: The plan of the cell.
        workspace: Its folder.
        sandbox: Its namespaces, None in the other tiers.
        group: Its control group, None if none can be made.
        control: Descriptor of the supervisor's socket.
        channels: Descriptors that programs get, by the numbers that they find them at.
    """

    plan: CellPlan
    workspace: Workspace
    sandbox: Sandbox | None
    group: cgroup.Group | None
    control: int
    channels: Mapping[int, int]
