"""What the metric service says of itself and of its metrics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from i2s_wire.metrics.profile import Profile
from i2s_wire.metrics.score import Direction


@dataclass(frozen=True, slots=True)
class MetricDescription:
    """One metric of a metric service."""

    #: Name, such as "ems".
    name: str
    #: One sentence.
    summary: str
    #: Where the definition comes from.
    source: str
    #: Version of the definition.
    version: str
    #: Whether higher or lower values are better.
    direction: Direction
    #: The least possible value.
    lower_bound: float
    #: The greatest possible value.
    upper_bound: float
    #: Whether reference and prediction may be swapped.
    symmetric: bool
    #: Intermediate values that come with it.
    parts: tuple[str, ...]
    #: Profiles that it is defined in.
    profiles: tuple[Profile, ...]
    #: Whether this service can compute it.
    available: bool
    #: Why not, and what would make it so.
    unavailable_reason: str


@dataclass(frozen=True, slots=True)
class MetricsDescription:
    """A metric service."""

    #: "metrics".
    service: str
    #: Version of the service.
    version: str
    #: All that it knows, available or not.
    metrics: tuple[MetricDescription, ...]
    #: Libraries that can change a value, by name.
    versions: Mapping[str, str]
    #: "cpu" or "cuda:0 (name)".
    device: str
    #: Size of the largest request.
    max_request_bytes: int
    #: Size of the largest image.
    max_image_pixels: int
    #: Pairs at the same time.
    slots: int
    #: Pairs that may wait.
    queue: int
    #: The same of its file; 0 if the service does not say.
    max_image_bytes: int = 0
