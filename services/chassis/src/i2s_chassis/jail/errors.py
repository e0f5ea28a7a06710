"""The errors of the jail itself.

JailError                 a fault of the jail, never of the job
├── NoTierError           no isolation tier passes its escape tests on this machine
├── NoNestingError        programs of the isolation tier that remains cannot make namespaces of their own
├── CellError             the cell of a job could not be made, or not do what it was asked
│   ├── CellLostError     the supervisor of the cell is gone
│   ├── KilledError       something outside killed the program
│   └── StarvedError      the machine kept the job waiting for far too long
└── OutputError           a file cannot be fetched; says why
"""

from __future__ import annotations

import enum
import signal
from collections.abc import Mapping


class JailError(Exception):
    """A fault of the jail, never of the job."""


class NoTierError(JailError):
    """No isolation tier passes its escape tests on this machine.

    Attributes:
        reasons: Why each tier that was tried cannot be used, by tier.
    """

    def __init__(self, reasons: Mapping[str, str]) -> None:
        self.reasons = dict(reasons)
        tried = "; ".join(f"{tier}: {reason}" for tier, reason in reasons.items())
        super().__init__(
            f"no isolation tier works on this machine ({tried}). Install bubblewrap where user namespaces "
            "are permitted, run a kernel with Landlock (Linux 5.13 or later), run as root inside of gVisor, "
            "or accept the risk with --allow-unsandboxed"
        )


class NoNestingError(JailError):
    """Programs of the isolation tier that remains have no /proc, which they need for namespaces of their own.

    Attributes:
        tier: The name of that tier.
    """

    def __init__(self, tier: str) -> None:
        self.tier = tier
        super().__init__(f"programs have no /proc in the isolation tier {tier} as it is here")


class CellError(JailError):
    """The cell of a job could not be made, or not do what it was asked."""


class CellLostError(CellError):
    """The supervisor of the cell is gone, and all of the cell with it."""


class KilledError(CellError):
    """SIGKILL ended a program that no limit had ended, and jobs cannot send that signal.

    The kernel of a machine without free memory, an operator, or whoever ended the sandbox sent it.
    """


def killed_by(code: int, program: str) -> KilledError | None:
    """Return what is to be said of a program of ours, outside of cells, that a signal from outside ended.

    Args:
        code: Its exit code; below 0 the signal.
        program: Its name.
    """
    if -code not in (signal.SIGKILL, signal.SIGTERM):
        return None
    return KilledError(f"something outside killed {program}")


class StarvedError(CellError):
    """A job did not come to its end because of the load of the machine, or its supervisor does not answer."""


class OutputReason(enum.Enum):
    """Why a file cannot be fetched."""

    MISSING = "missing"
    IRREGULAR = "irregular"
    TOO_LARGE = "too_large"


class OutputError(JailError):
    """A file of the work folder cannot be fetched.

    Attributes:
        name: Name as asked for.
        reason: Why.
    """

    def __init__(self, name: str, reason: OutputReason) -> None:
        self.name = name
        self.reason = reason
        super().__init__(f"output {name!r} cannot be fetched: {reason.value}")
