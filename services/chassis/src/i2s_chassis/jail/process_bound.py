"""Whether a run has asked for more processes than it may have: who reports that differs between kernels."""

from __future__ import annotations

from typing import Protocol

from i2s_chassis.jail import cgroup
from i2s_chassis.jail.follow import Fate
from i2s_chassis.jail.request import CellContext


class ProcessBound(Protocol):
    """Says whether the bound on processes and threads was met since this was made."""

    def ended(self, fate: Fate) -> None:
        """Take note of what became of the program."""

    def is_met(self, seen: int) -> bool:
        """Return whether the job has asked for more than it may have.

        Args:
            seen: Processes and threads of it that were there at the same time, as far as we saw.
        """
        ...


class GroupBound:
    """The control group of the cell refuses, and counts what it has refused."""

    def __init__(self, group: cgroup.Group) -> None:
        """Begin to count."""
        self._group = group
        self._refused_before = group.refused_forks()

    def ended(self, fate: Fate) -> None:
        """Do nothing: the group has counted."""

    def is_met(self, seen: int) -> bool:
        """Return whether the group has refused a process."""
        return self._group.refused_forks() > self._refused_before


class FollowedBound:
    """The process that follows the job kills it, and says so."""

    def __init__(self) -> None:
        """Begin: nothing is known before the end."""
        self._met = False

    def ended(self, fate: Fate) -> None:
        """Take note of what the one that follows has said."""
        self._met = fate.too_many

    def is_met(self, seen: int) -> bool:
        """Return whether the job was killed for having too many."""
        return self._met


class CountedBound:
    """RLIMIT_NPROC alone, whose refusals the kernel reports to nobody.

    A job with as many as it may have is taken for one that has asked for more; one whose processes had all
    ended when we looked is not recognized.
    """

    def __init__(self, most: int) -> None:
        """Begin.

        Args:
            most: Processes and threads at the same time.
        """
        self._most = most

    def ended(self, fate: Fate) -> None:
        """Do nothing: only the living are counted."""

    def is_met(self, seen: int) -> bool:
        """Return whether as many were seen as there may be."""
        return seen >= self._most


def process_bound(context: CellContext) -> ProcessBound:
    """Return what says whether a run that begins now meets its bound."""
    if context.plan.followed:
        return FollowedBound()
    if context.group is not None:
        return GroupBound(context.group)
    return CountedBound(context.plan.limits.processes)
