"""What a renderer says of itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from i2s_wire.render.isolation import Isolation
from i2s_wire.render.rendering import Engine
from i2s_wire.render.resources import Limits


@dataclass(frozen=True, slots=True)
class WarmEngine:
    """Something that is ready for the next job."""

    #: "format", "zygote" or "browser".
    kind: str
    #: Name, such as the digest of a preamble.
    name: str
    #: How many jobs it has served.
    jobs: int


@dataclass(frozen=True, slots=True)
class RendererDescription:
    """A renderer."""

    #: Name, "render-" and that of the renderer.
    service: str
    #: Version of the service.
    version: str
    #: Its program and the digest of everything that can change an image.
    engine: Engine
    #: Everything the digest is made of, by name.
    versions: Mapping[str, str]
    #: SHA-256 over the installed fonts.
    fonts_digest: str
    #: The sandbox that jobs run in.
    isolation: Isolation
    #: Limits of a job that asks for none.
    default_limits: Limits
    #: Maxima of the limits of a job.
    max_limits: Limits
    #: Kinds of source that it renders: "latex", "site", "lilypond", "python", "generic".
    sources: tuple[str, ...]
    #: Size of the largest request.
    max_request_bytes: int
    #: Jobs at the same time.
    slots: int
    #: Jobs that may wait.
    queue: int
    #: What is ready for the next job.
    warm: tuple[WarmEngine, ...]
    #: Optional parts of the engine that are not installed, each with the package that has it.
    missing: tuple[str, ...] = ()
    #: Languages of the generic sources that it renders.
    languages: tuple[str, ...] = ()
