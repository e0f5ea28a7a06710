"""Between the wire and the words of this renderer."""

from __future__ import annotations

from dataclasses import replace

from i2s.render.v1 import render_pb2 as pb
from i2s_chassis.errors import InvalidArgumentError
from i2s_chassis.renderer.options import page_from_wire, refuse_foreign, whole_number
from i2s_render_latex.model import Options
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
    if latex.engine not in (pb.LATEX_ENGINE_UNSPECIFIED, pb.LATEX_ENGINE_PDFLATEX):
        raise InvalidArgumentError("options.latex.engine", f"{latex.engine} is no engine of this service")
    return replace(
        page_from_wire(message.page, default),
        max_runs=whole_number(latex, "max_runs", "options.latex", default.max_runs, _MAX_RUNS),
        cold=latex.cold,
    )


def options_to_wire(options: Options) -> pb.RenderOptions:
    """Return options as the wire has them."""
    latex = pb.LatexOptions(engine=pb.LATEX_ENGINE_PDFLATEX, max_runs=options.max_runs, cold=options.cold)
    return pb.RenderOptions(page=page_options(options), latex=latex)


def files_from_wire(source: pb.LatexSource) -> tuple[File, ...]:
    """Return the files beside a document, unchecked."""
    return tuple(File(file.path, file.content) for file in source.files)
