"""What the metric service says of itself and of its metrics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from i2s_wire.metrics.profile import Profile
from i2s_wire.metrics.score import Direction


@dataclass(frozen=True, slots=True)
class MetricDescription:
    """One metric of a metric service.

    Attributes:
        name: Name, such as "ems".
        summary: One sentence.
        source: Where the definition comes from.
        version: Version of the definition.
        direction: Whether higher or lower values are better.
        lower_bound: The least possible value.
        upper_bound: The greatest possible value.
        symmetric: Whether reference and prediction may be swapped.
        parts: Intermediate values that come with it.
        profiles: Profiles that it is defined in.
        available: Whether this service can compute it.
        unavailable_reason: Why not, and what would make it so.
    """

    name: str
    summary: str
    source: str
    version: str
    direction: Direction
    lower_bound: float
    upper_bound: float
    symmetric: bool
    parts: tuple[str, ...]
    profiles: tuple[Profile, ...]
    available: bool
    unavailable_reason: str


@dataclass(frozen=True, slots=True)
class MetricsDescription:
    """A metric service.

    Attributes:
        service: "metrics".
        version: Version of the service.
        metrics: All that it knows, available or not.
        versions: Libraries that can change a value, by name.
        device: "cpu" or "cuda:0 (name)".
        max_request_bytes: Size of the largest request.
        max_image_pixels: Size of the largest picture.
        max_image_bytes: The same of its file; 0 if the service does not say.
        slots: Pairs at the same time.
        queue: Pairs that may wait.
    """

    service: str
    version: str
    metrics: tuple[MetricDescription, ...]
    versions: Mapping[str, str]
    device: str
    max_request_bytes: int
    max_image_pixels: int
    slots: int
    queue: int
    max_image_bytes: int = 0
