"""Whether the kernel has killed a process of a run for memory, and whether the run itself used too much."""

from __future__ import annotations

from i2s_chassis.jail import cgroup
from i2s_chassis.jail.model import Cause


class MemoryKills:
    """The processes of a run that the kernel killed for memory since this was made.

    A machine without free memory, or a container at its limit, takes jobs first, however little they use.
    So a kill is the job's own doing only if its control group has reached its own limit.
    """

    def __init__(self, group: cgroup.Group | None) -> None:
        """Begin to count.

        Args:
            group: Control group of the cell; None if there is none, and then no kill is known.
        """
        self._group = group
        # Failures first, here and below: they are counted before the kill that follows from them.
        self._failures_before = group.own_limit_failures() if group is not None else 0
        self._kills_before = group.out_of_memory_kills() if group is not None else 0

    def begin_anew(self) -> None:
        """Forget that the own limit was reached if nobody was killed for it: another job begins."""
        if self._group is None:
            return
        failures = self._group.own_limit_failures()
        if self._group.out_of_memory_kills() == self._kills_before:
            self._failures_before = failures

    def cause(self) -> Cause | None:
        """Return MEMORY_LIMIT if somebody was killed after the own limit was reached, SIGNALED if for others.

        None if nobody was killed.
        """
        if self._group is None or self._group.out_of_memory_kills() <= self._kills_before:
            return None
        own = self._group.own_limit_failures() > self._failures_before
        return Cause.MEMORY_LIMIT if own else Cause.SIGNALED
