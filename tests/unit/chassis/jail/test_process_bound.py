"""Who reports that a job has asked for more processes than it may have."""

from __future__ import annotations

import signal
from dataclasses import dataclass

from i2s_chassis.jail.follow import Fate
from i2s_chassis.jail.process_bound import CountedBound, FollowedBound, GroupBound


@dataclass
class Group:
    refused: int

    def refused_forks(self) -> int:
        return self.refused


def test_a_group_reports_what_it_has_refused_since_the_run_began() -> None:
    group = Group(3)
    bound = GroupBound(group)  # type: ignore[arg-type]
    assert not bound.is_met(1000)
    group.refused += 1
    assert bound.is_met(1)


def test_a_followed_job_has_met_its_bound_if_it_was_killed_for_that() -> None:
    bound = FollowedBound()
    assert not bound.is_met(1000)
    bound.ended(Fate(signal.SIGKILL))
    assert not bound.is_met(1000)
    bound.ended(Fate(signal.SIGKILL, too_many=True))
    assert bound.is_met(1)


def test_without_either_as_many_as_permitted_are_taken_for_too_many() -> None:
    bound = CountedBound(5)
    bound.ended(Fate(signal.SIGKILL, too_many=True))
    assert (bound.is_met(4), bound.is_met(5)) == (False, True)
