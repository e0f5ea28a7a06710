"""What an operator may decide about the jail."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from i2s_chassis.jail.model import Tier


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
