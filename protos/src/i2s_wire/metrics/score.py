"""What is asked of the metric service and what it answers."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

from i2s_wire.metrics.profile import Profile


class SizePolicy(enum.IntEnum):
    """How two pictures of different size are made comparable. Values equal those of the wire."""

    PAD = 1
    RESIZE = 2


class Direction(enum.IntEnum):
    """Which values are the better ones. Values equal those of the wire."""

    HIGHER_IS_BETTER = 1
    LOWER_IS_BETTER = 2


class MetricFailureKind(enum.IntEnum):
    """Why a metric has no value for a pair. Values equal those of the wire."""

    UNAVAILABLE = 1
    UNDEFINED = 2
    BAD_IMAGE = 3


@dataclass(frozen=True, slots=True)
class ScoreRequest:
    """One pair of encoded pictures (PNG, JPEG or WebP) to compare.

    Attributes:
        reference: What should have come out.
        prediction: What came out.
        size_policy: How pictures of different size are made comparable.
        profile: The rules of the comparison.
        metrics: Names; none means all that are available.
        id: Stands in the logs of the service; identifies the responses of a stream.
    """

    reference: bytes = field(repr=False)
    prediction: bytes = field(repr=False)
    size_policy: SizePolicy = SizePolicy.PAD
    profile: Profile = Profile.PAPER
    metrics: tuple[str, ...] = ()
    id: str = ""


@dataclass(frozen=True, slots=True)
class MetricFailure:
    """Why a metric has no value, and a sentence about it."""

    kind: MetricFailureKind
    message: str


@dataclass(frozen=True, slots=True)
class MetricResult:
    """One metric of one pair: a value, or a reason why there is none.

    Attributes:
        name: Name, such as "ems".
        value: None if there is a failure.
        failure: None if there is a value.
        parts: Intermediate values by name.
        version: Version of the definition; values of different versions do not compare.
        direction: Whether higher or lower values are better.
        lower_bound: The least possible value.
        upper_bound: The greatest possible value.
    """

    name: str
    value: float | None = None
    failure: MetricFailure | None = None
    parts: Mapping[str, float] = field(default_factory=dict)
    version: str = ""
    direction: Direction = Direction.HIGHER_IS_BETTER
    lower_bound: float = float("-inf")
    upper_bound: float = float("inf")


@dataclass(frozen=True, slots=True)
class Score:
    """All metrics of one pair of pictures.

    Attributes:
        results: One for each metric, in the order of the request.
        profile: The rules of the values.
        reference_sha256: SHA-256 of the encoded reference.
        prediction_sha256: SHA-256 of the encoded prediction.
        width: Width of both after the size policy, in pixels.
        height: Height of both after the size policy, in pixels.
        wall_seconds: Wall time that the service took.
        cpu_seconds: CPU time that the service used.
    """

    results: tuple[MetricResult, ...]
    profile: Profile
    reference_sha256: str = ""
    prediction_sha256: str = ""
    width: int = 0
    height: int = 0
    wall_seconds: float = 0.0
    cpu_seconds: float = 0.0

    @property
    def values(self) -> dict[str, float]:
        """Values by name, of those metrics that have one."""
        return {result.name: result.value for result in self.results if result.value is not None}

    @property
    def failures(self) -> dict[str, MetricFailure]:
        """Reasons by name, of those metrics that have no value."""
        return {result.name: result.failure for result in self.results if result.failure is not None}
