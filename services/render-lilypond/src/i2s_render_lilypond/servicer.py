"""RenderService over the engine of LilyPond: messages to jobs, results to messages."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from i2s.render.v1 import render_pb2 as pb
from i2s_chassis.errors import InvalidArgumentError
from i2s_chassis.limits import Limits
from i2s_chassis.renderer.servicer import Identity, RendererServicer
from i2s_chassis.renderer.wire import chosen, page_from_wire, refuse_foreign
from i2s_chassis.server.service import Chassis
from i2s_render_lilypond.engine import LilypondEngine
from i2s_render_lilypond.model import LilypondJob, LilypondRendering, Options
from i2s_render_lilypond.settings import LilypondSettings
from i2s_wire.codec import encode
from i2s_wire.render.options import LilypondBackend, LilypondOptions, PageOptions
from i2s_wire.render.rendering import Rendering

_VERSION = re.compile(r"\d{1,4}\.\d{1,4}(\.\d{1,4})?")


def options_from_wire(message: pb.RenderOptions) -> Options:
    """Return what a request asks for, defaults elsewhere.

    Raises:
        InvalidArgumentError: A value has no meaning; names the field.
    """
    default, lilypond = Options(), message.lilypond
    refuse_foreign(message, ("page", "lilypond"), "LilyPond")
    options = replace(
        page_from_wire(message.page, default),
        convert=chosen(lilypond.convert, default.convert, "options.lilypond.convert"),
        no_footers=lilypond.no_footers if lilypond.HasField("no_footers") else default.no_footers,
        backend=chosen(lilypond.backend, default.backend, "options.lilypond.backend"),
        want_notes=lilypond.want_notes,
    )
    if options.backend is LilypondBackend.CAIRO and not options.dpi.is_integer():
        raise InvalidArgumentError("options.page.dpi", "is no whole number, which the back end cairo needs")
    return options


def refuse_missing(backend: LilypondBackend, backends: Collection[LilypondBackend]) -> None:
    """Refuse a back end that is not installed.

    Raises:
        InvalidArgumentError: It is not; names the field.
    """
    if backend not in backends:
        raise InvalidArgumentError(
            "options.lilypond.backend",
            f"the LilyPond of this service was built without {backend.name.lower()}",
        )


def version_from_wire(version: str) -> str:
    """Return the version to convert from, empty for none.

    Raises:
        InvalidArgumentError: It is not a version.
    """
    if version and _VERSION.fullmatch(version) is None:
        raise InvalidArgumentError("lilypond.assume_version", "is no version such as 2.18.0")
    return version


def options_to_wire(options: Options) -> pb.RenderOptions:
    """Return options as the wire has them."""
    lilypond = LilypondOptions(options.convert, options.no_footers, options.backend, options.want_notes)
    page = encode(options, pb.PageOptions, PageOptions)
    return pb.RenderOptions(page=page, lilypond=encode(lilypond, pb.LilypondOptions))


class LilypondServicer(RendererServicer[LilypondJob, LilypondRendering]):
    """Answers render requests."""

    _engine: LilypondEngine

    def __init__(self, engine: LilypondEngine, settings: LilypondSettings, chassis: Chassis) -> None:
        identity = Identity("i2s-render-lilypond", "lilypond", "lilypond", options_to_wire(Options()))
        super().__init__(identity, engine, settings, chassis)

    def job(self, request: pb.RenderRequest, limits: Limits) -> LilypondJob:  # noqa: D102 - see RendererServicer
        version = version_from_wire(request.lilypond.assume_version)
        options = options_from_wire(request.options)
        refuse_missing(options.backend, self._engine.installation.backends)
        return LilypondJob(request.lilypond.score, version, options, limits)

    @property
    def missing(self) -> Sequence[str]:  # noqa: D102
        absent = set(LilypondBackend) - self._engine.installation.backends
        return [f"{backend.name.lower()} (another build of lilypond)" for backend in sorted(absent)]

    def source_sha256(self, job: LilypondJob) -> str:  # noqa: D102
        return hashlib.sha256(job.score).hexdigest()

    def complete(self, answer: Rendering, raw: LilypondRendering) -> Rendering:  # noqa: D102
        return replace(answer, lilypond_backend=raw.backend, notes=raw.notes)

    def warm(self) -> list[pb.WarmEngine]:  # noqa: D102
        engine, version = self._engine, self._engine.installation.version
        pools = [pool for pool in (engine.zygotes, engine.converters) if pool is not None]
        warm = [pb.WarmEngine(kind=pool.kind, name=version, jobs=pool.jobs) for pool in pools]
        if engine.zygotes is None:
            warm.append(pb.WarmEngine(kind="single-use", name=version, jobs=self._jobs))
        return warm
