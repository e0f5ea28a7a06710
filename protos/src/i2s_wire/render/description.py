"""What a renderer says of itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from i2s_wire.render.isolation import Isolation
from i2s_wire.render.rendering import Engine
from i2s_wire.render.resources import Limits


@dataclass(frozen=True, slots=True)
class WarmEngine:
    """Something that is ready for the next job.

    Attributes:
        kind: "format", "zygote" or "browser".
        name: Name, such as the digest of a preamble.
        jobs: How many jobs it has served.
    """

    kind: str
    name: str
    jobs: int


@dataclass(frozen=True, slots=True)
class RendererDescription:
    """A renderer.

    Attributes:
        service: Name, such as "render-latex".
        version: Version of the service.
        engine: Its program and the digest of everything that can change a picture.
        versions: Everything the digest is made of, by name.
        fonts_digest: SHA-256 over the installed fonts.
        isolation: The sandbox that jobs run in.
        default_limits: Limits of a job that asks for none.
        max_limits: Maxima of the limits of a job.
        sources: Kinds of source that it renders: "latex", "site", "lilypond".
        max_request_bytes: Size of the largest request.
        slots: Jobs at the same time.
        queue: Jobs that may wait.
        warm: What is ready for the next job.
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
