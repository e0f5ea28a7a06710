"""Translates between the wire and the words of this renderer."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from i2s.render.v1 import render_pb2 as pb
from i2s_chassis.errors import InvalidArgumentError
from i2s_chassis.renderer.wire import page_from_wire, refuse_foreign, whole_number
from i2s_render_latex.model import Options
from i2s_render_latex.programs import PROGRAMS
from i2s_wire.render.options import LatexEngine
from i2s_wire.render.request import File
from i2s_wire.render.request_to_wire import page_options

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
    )
    return pb.RenderOptions(page=page_options(options), latex=latex)


def files_from_wire(source: pb.LatexSource) -> tuple[File, ...]:
    """Return the files beside a document, unchecked."""
    return tuple(File(file.path, file.content) for file in source.files)
