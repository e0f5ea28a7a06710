"""The sandbox that a job ran in, and what it was prevented from."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from i2s_wire.fields import ZERO_IS_DEFAULT


class IsolationTier(enum.IntEnum):
    """How strong the sandbox of a job is, weakest first. Values equal those of the wire."""

    NONE = 1
    CONTAINER = 2
    LANDLOCK = 3
    NAMESPACE = 4


@dataclass(frozen=True, slots=True)
class Isolation:
    """The sandbox that jobs run in."""

    #: The tier in force.
    tier: IsolationTier = field(default=IsolationTier.NONE, metadata=ZERO_IS_DEFAULT)
    #: What it consists of on this machine, such as "seccomp", for people to read.
    mechanisms: tuple[str, ...] = ()

    @property
    def degraded(self) -> tuple[str, ...]:
        """The layers that are off and could be on; empty if none is."""
        none = ("no sandbox",) if self.tier is IsolationTier.NONE else ()
        return (*none, *(mechanism for mechanism in self.mechanisms if mechanism.endswith(" off")))


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
    """One thing that a source tried and was prevented from."""

    #: Kind of the attempt that was prevented.
    kind: PolicyKind
    #: The file, the address or the system call, for people to read.
    detail: str
    #: How often it was tried.
    count: int = field(default=1, metadata=ZERO_IS_DEFAULT)
