"""The types of comparisons: jobs, outcomes of metrics, inputs of networks."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

from i2s_wire.metrics.profile import Profile
from i2s_wire.metrics.score import MetricFailure, SizePolicy


@dataclass(frozen=True, slots=True)
class MetricValue:
    """The value of a metric, and the intermediate values that the metric names."""

    value: float
    parts: Mapping[str, float] = field(default_factory=dict)


Outcome = MetricValue | MetricFailure


class Network(enum.StrEnum):
    """A neural network that metrics need."""

    VGG16 = "vgg16"
    INCEPTION = "inception"


class NetworkComparison(enum.StrEnum):
    """The comparisons of two images by a network."""

    LPIPS = "lpips"
    POOL = "pool"
    LOGITS = "logits"

    @property
    def network(self) -> Network:
        """The network that answers."""
        return Network.VGG16 if self is NetworkComparison.LPIPS else Network.INCEPTION

    @property
    def side(self) -> int:
        """Side of the squares that are compared, in pixels."""
        return 256 if self is NetworkComparison.LPIPS else 299

    @property
    def nbytes(self) -> int:
        """Bytes of one image."""
        return 3 * self.side**2


@dataclass(frozen=True, slots=True)
class Inputs:
    """Two images for a network, ready to be compared."""

    #: What is asked.
    comparison: NetworkComparison
    #: Levels 0 to 255, row by row, three channels a pixel.
    prediction: bytes
    #: The same.
    reference: bytes

    def __post_init__(self) -> None:
        if not len(self.prediction) == len(self.reference) == self.comparison.nbytes:
            raise ValueError(f"{self.comparison} compares pictures of {self.comparison.nbytes} bytes")


@dataclass(frozen=True, slots=True)
class Draft:
    """The draft of a worker: a score in which answers of networks are still wanting."""

    #: One for each metric asked for, in that order.
    outcomes: tuple[Outcome | Inputs, ...]
    #: Width as in ``JobResult``.
    width: int
    #: The same.
    height: int
    #: Processor time so far.
    cpu_seconds: float


@dataclass(frozen=True, slots=True)
class JobResult:
    """The result of one comparison."""

    #: One for each metric asked for, in that order.
    outcomes: tuple[Outcome, ...]
    #: Width of both images after the size policy; 0 if an image could not be read.
    width: int
    #: The same.
    height: int
    #: Processor time of the comparison.
    cpu_seconds: float


@dataclass(frozen=True, slots=True)
class ComparisonJob:
    """The two images to compare, and how."""

    #: Encoded image.
    reference: bytes
    #: Encoded image.
    prediction: bytes
    #: The rule that makes the two equal in size.
    policy: SizePolicy
    #: Rule book.
    profile: Profile
    #: Names known to the registry.
    metrics: tuple[str, ...]
