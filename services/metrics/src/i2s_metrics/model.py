"""The words of the service: profiles, size policies, outcomes of a metric."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field


class Profile(enum.IntEnum):
    """Which rule book the values follow. Values equal those of the wire."""

    PAPER = 1
    HELM = 2


class SizePolicy(enum.IntEnum):
    """How two pictures become equal in size. Values equal those of the wire."""

    PAD = 1
    RESIZE = 2


class Direction(enum.IntEnum):
    """Which values are good. Values equal those of the wire."""

    HIGHER_IS_BETTER = 1
    LOWER_IS_BETTER = 2


class FailureKind(enum.IntEnum):
    """Why a metric has no value. Values equal those of the wire."""

    UNAVAILABLE = 1
    UNDEFINED = 2
    BAD_IMAGE = 3


@dataclass(frozen=True, slots=True)
class Value:
    """The value of a metric, and the intermediate values that the metric names."""

    value: float
    parts: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no value; the message is for people."""

    kind: FailureKind
    message: str


Outcome = Value | Failure


@dataclass(frozen=True, slots=True)
class Score:
    """What one comparison gave.

    Attributes:
        outcomes: One for each metric asked for, in that order.
        width: Of both pictures after the size policy; 0 where a picture could not be read.
        height: The same.
        cpu_seconds: Processor time of the comparison.
    """

    outcomes: tuple[Outcome, ...]
    width: int
    height: int
    cpu_seconds: float


@dataclass(frozen=True, slots=True)
class Job:
    """What to compare, and how.

    Attributes:
        reference: Encoded picture.
        prediction: Encoded picture.
        policy: Makes the two equal in size.
        profile: Rule book.
        metrics: Names known to the registry.
    """

    reference: bytes
    prediction: bytes
    policy: SizePolicy
    profile: Profile
    metrics: tuple[str, ...]
