"""What is asked of the metric service and what it answers."""

from __future__ import annotations

import enum
import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from i2s_wire.fields import Checked
from i2s_wire.metrics.profile import Profile


class SizePolicy(enum.IntEnum):
    """How two images of different size are made comparable. Values equal those of the wire."""

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
    """One pair of encoded images (PNG, JPEG or WebP) to compare."""

    #: What should have come out.
    reference: bytes = field(repr=False)
    #: What came out.
    prediction: bytes = field(repr=False)
    #: How images of different size are made comparable.
    size_policy: SizePolicy = SizePolicy.PAD
    #: The rules of the comparison.
    profile: Profile = Profile.PAPER
    #: Names; none means all that are available.
    metrics: tuple[str, ...] = ()
    #: Stands in the logs of the service; identifies the responses of a stream.
    id: str = ""


@dataclass(frozen=True, slots=True)
class MetricFailure:
    """Why a metric has no value, and a sentence about it."""

    kind: MetricFailureKind
    message: str


@dataclass(frozen=True, slots=True)
class MetricResult(Checked):
    """One metric of one pair: a value, or a reason why there is none."""

    #: Name, such as "ems".
    name: str
    #: None if there is a failure.
    value: float | None = None
    #: None if there is a value.
    failure: MetricFailure | None = None
    #: Intermediate values by name.
    parts: Mapping[str, float] = field(default_factory=dict)
    #: Version of the definition; values of different versions do not compare.
    version: str = ""
    #: Whether higher or lower values are better.
    direction: Direction = Direction.HIGHER_IS_BETTER
    #: The least possible value.
    lower_bound: float = float("-inf")
    #: The greatest possible value.
    upper_bound: float = float("inf")

    def problem(self) -> str:
        """Return why this is not an outcome: there is none, or the value is not a number."""
        if self.value is None and self.failure is None:
            return f"neither a value nor a reason for {self.name!r}"
        if self.value is not None and not math.isfinite(self.value):
            return f"{self.value} for {self.name!r}, which is not a value"
        return ""


@dataclass(frozen=True, slots=True)
class Score:
    """All metrics of one pair of images."""

    #: One for each metric, in the order of the request.
    results: tuple[MetricResult, ...]
    #: The rules of the values.
    profile: Profile
    #: SHA-256 of the encoded reference.
    reference_sha256: str = ""
    #: SHA-256 of the encoded prediction.
    prediction_sha256: str = ""
    #: Width of both after the size policy, in pixels.
    width: int = 0
    #: Height of both after the size policy, in pixels.
    height: int = 0
    #: Wall time that the service took.
    wall_seconds: float = 0.0
    #: CPU time that the service used.
    cpu_seconds: float = 0.0

    @property
    def values(self) -> dict[str, float]:
        """Values by name, of those metrics that have one."""
        return {result.name: result.value for result in self.results if result.value is not None}

    @property
    def failures(self) -> dict[str, MetricFailure]:
        """Reasons by name, of those metrics that have no value."""
        return {result.name: result.failure for result in self.results if result.failure is not None}
