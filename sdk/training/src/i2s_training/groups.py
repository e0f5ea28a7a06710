"""Ranks and centred values within groups of answers to one reference."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GroupPlace:
    """Where a value stands in its group."""

    #: 1 for the largest value; equal values share the mean of their ranks.
    rank: float
    #: Number of values in the group; those that are missing do not count.
    size: int
    #: The value less the mean of the group.
    centred: float


def group_places(values: Sequence[float | None], groups: Sequence[Hashable]) -> list[GroupPlace | None]:
    """Return where each value stands among those of its group; None for a value that is missing.

    A similarity says little where nearly all answers reach the same one, their order more. A reward that is
    missing, since a service failed, is left out of its group: it lowers neither mean nor ranks.

    Args:
        values: Rewards; None is missing.
        groups: What the values of one group have in common, one for each value.

    Raises:
        ValueError: There are more of one than of the other.
    """
    members: defaultdict[Hashable, list[int]] = defaultdict(list)
    for number, (value, group) in enumerate(zip(values, groups, strict=True)):
        if value is not None:
            members[group].append(number)
    places: list[GroupPlace | None] = [None] * len(values)
    for numbers in members.values():
        own = [float(values[number] or 0.0) for number in numbers]
        mean = sum(own) / len(own)
        for number, value in zip(numbers, own, strict=True):
            better, equal = sum(one > value for one in own), own.count(value)
            places[number] = GroupPlace(better + (equal + 1) / 2, len(own), value - mean)
    return places
