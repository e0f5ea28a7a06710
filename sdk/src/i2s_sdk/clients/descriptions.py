"""What the services say of themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from i2s_sdk.profile import Profile
from i2s_sdk.render_types import Engine, Isolation, Limits
from i2s_sdk.score_types import Direction


@dataclass(frozen=True, slots=True)
class WarmEngine:
    """Something that stands ready: a precompiled format, a forked process, a browser."""

    kind: str
    name: str
    jobs: int


@dataclass(frozen=True, slots=True)
class RendererDescription:
    """A renderer.

    Attributes:
        service: Such as "render-latex".
        version: Of the service.
        engine: Its program and the digest of everything that can change a picture.
        versions: Everything the digest is made of, by name.
        fonts_digest: SHA-256 over the installed fonts.
        isolation: The walls that jobs run in.
        default_limits: Of a job that asks for none.
        max_limits: That no job gets beyond.
        sources: Kinds of source that it renders: "latex", "site", "lilypond".
        max_request_bytes: Size of the largest request.
        slots: Jobs at the same time.
        queue: Jobs that may wait.
        warm: What stands ready.
        missing: Optional parts of the engine that are not installed, each with the package that has it.
    """

    service: str
    version: str
    engine: Engine
    versions: Mapping[str, str]
    fonts_digest: str
    isolation: Isolation
    default_limits: Limits
    max_limits: Limits
    sources: tuple[str, ...]
    max_request_bytes: int
    slots: int
    queue: int
    warm: tuple[WarmEngine, ...]
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MetricDescription:
    """One metric of a metric service.

    Attributes:
        name: Such as "ems".
        summary: One sentence.
        source: Where the definition comes from.
        version: Of the definition.
        direction: Which values are the better ones.
        lower_bound: The least possible value.
        upper_bound: The greatest possible value.
        symmetric: Whether reference and prediction may be swapped.
        parts: Intermediate values that come with it.
        profiles: Rule books it is defined in.
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
        version: Of the service.
        metrics: All that it knows, available or not.
        versions: Libraries that can change a value, by name.
        device: "cpu" or "cuda:0 (name)".
        max_request_bytes: Size of the largest request.
        max_image_pixels: Size of the largest picture.
        max_image_bytes: The same of its file; 0 where the service does not say.
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
