"""RenderService over the engine of LaTeX: messages to jobs, results to messages."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import replace

from i2s.render.v1 import render_pb2 as pb
from i2s_chassis.errors import InvalidArgumentError
from i2s_chassis.limits import Limits
from i2s_chassis.renderer.model import RawRendering
from i2s_chassis.renderer.servicer import Identity, RendererServicer
from i2s_chassis.renderer.wire import files_from_wire, page_from_wire, refuse_foreign, whole_number
from i2s_chassis.server.service import Chassis
from i2s_render_latex.engine import LatexRenderer
from i2s_render_latex.model import LatexJob, Options
from i2s_render_latex.programs import PROGRAMS
from i2s_render_latex.settings import LatexSettings
from i2s_wire.codec import encode
from i2s_wire.render.options import LatexEngine, PageOptions
from i2s_wire.render.rendering import Engine

_MAX_RUNS = 20


def options_from_wire(message: pb.RenderOptions) -> Options:
    """Return what a request asks for, defaults elsewhere.

    Raises:
        InvalidArgumentError: A value has no meaning; names the field.
    """
    default, latex = Options(), message.latex
    refuse_foreign(message, ("page", "latex"), "LaTeX")
    return replace(
        page_from_wire(message.page, default),
        max_runs=whole_number(latex, "max_runs", "options.latex", default.max_runs, _MAX_RUNS),
        cold=latex.cold,
        engine=_engine(latex.engine),
        last_page=latex.last_page,
        want_text=latex.want_text,
        want_objects=latex.want_objects,
    )


def _engine(value: int) -> LatexEngine:
    if value == pb.LATEX_ENGINE_UNSPECIFIED:
        return Options().engine
    try:
        return LatexEngine(value)
    except ValueError:
        raise InvalidArgumentError("options.latex.engine", f"{value} is no engine of this service") from None


def refuse_missing(engine: LatexEngine, engines: Collection[LatexEngine]) -> None:
    """Refuse an engine that is not installed.

    Raises:
        InvalidArgumentError: It is not; names the field and the package.
    """
    if engine not in engines:
        program = PROGRAMS[engine]
        raise InvalidArgumentError(
            "options.latex.engine", f"{program.name} is not installed here; the package is {program.package}"
        )


def options_to_wire(options: Options) -> pb.RenderOptions:
    """Return options as the wire has them."""
    latex = pb.LatexOptions(
        engine=pb.LatexEngine.ValueType(options.engine),
        max_runs=options.max_runs,
        cold=options.cold,
        last_page=options.last_page,
        want_text=options.want_text,
        want_objects=options.want_objects,
    )
    return pb.RenderOptions(page=encode(options, pb.PageOptions, PageOptions), latex=latex)


class LatexServicer(RendererServicer[LatexJob, RawRendering]):
    """Answers render requests."""

    _engine: LatexRenderer

    def __init__(self, engine: LatexRenderer, settings: LatexSettings, chassis: Chassis) -> None:
        options = options_to_wire(Options())
        identity = Identity("i2s-render-latex", "latex", "pdftex", options, settings.beside_files)
        super().__init__(identity, engine, settings, chassis)

    def job(self, request: pb.RenderRequest, limits: Limits) -> LatexJob:  # noqa: D102 - see RendererServicer
        latex, options = request.latex, options_from_wire(request.options)
        refuse_missing(options.engine, self._engine.installation.engines)
        return LatexJob(latex.document, files_from_wire(latex.files), options, limits)

    @property
    def missing(self) -> Sequence[str]:  # noqa: D102
        installed = self._engine.installation.engines
        return [
            f"{program.name} ({program.package})"
            for engine, program in PROGRAMS.items()
            if engine not in installed
        ]

    def engine_of(self, job: LatexJob) -> Engine:  # noqa: D102
        name, installation = PROGRAMS[job.options.engine].engine, self._engine.installation
        return Engine(name, installation.versions[name], installation.digest)

    def source_sha256(self, job: LatexJob) -> str:  # noqa: D102
        return hashlib.sha256(job.document).hexdigest()

    async def render(self, job: LatexJob) -> RawRendering:  # noqa: D102
        rendering = await super().render(job)
        self.chassis.telemetry.warm("format", len(self._engine.formats))
        return rendering

    def warm(self) -> list[pb.WarmEngine]:  # noqa: D102
        return [pb.WarmEngine(kind="format", name=one.name, jobs=one.jobs) for one in self._engine.formats]
