"""Between the wire and the words of this renderer."""

from __future__ import annotations

import enum
import math
from typing import TypeVar

from i2s.render.v1 import render_pb2 as pb
from i2s_chassis import wire
from i2s_chassis.errors import InvalidArgumentError
from i2s_chassis.jail import Isolation
from i2s_chassis.limits import Limits
from i2s_render_latex.model import BesideFile, Options, Picture, Rendering, SourceError
from i2s_render_latex.texlive import Installation

_MAX_DPI = 2400.0
_MAX_RUNS = 20
_MAX_PAGES = 100_000
_MAX_TEXT = 2048

E = TypeVar("E", bound=enum.IntEnum)


def options_from_wire(message: pb.RenderOptions) -> Options:
    """Return what a request asks for, defaults elsewhere.

    Raises:
        InvalidArgumentError: A value has no meaning; names the field.
    """
    default, page, latex = Options(), message.page, message.latex
    for name in ("window", "site", "lilypond"):
        if message.HasField(name):
            raise InvalidArgumentError(f"options.{name}", "has no meaning for LaTeX; leave it out")
    dpi = page.dpi if page.HasField("dpi") else default.dpi
    if not (math.isfinite(dpi) and 0 < dpi <= _MAX_DPI):
        raise InvalidArgumentError("options.page.dpi", f"{dpi} is not above 0 and at most {_MAX_DPI:g}")
    cut = page.cut_bottom if page.HasField("cut_bottom") else default.cut_bottom
    if not 0 <= cut < 1:
        raise InvalidArgumentError("options.page.cut_bottom", f"{cut} is not from 0 to below 1")
    if latex.engine not in (pb.LATEX_ENGINE_UNSPECIFIED, pb.LATEX_ENGINE_PDFLATEX):
        raise InvalidArgumentError("options.latex.engine", f"{latex.engine} is no engine of this service")
    return Options(
        dpi=dpi,
        first_page=_positive(page, "first_page", "options.page", default.first_page),
        page_count=_positive(page, "page_count", "options.page", default.page_count),
        cut_bottom=cut,
        crop=_chosen(page.crop, default.crop, "options.page.crop"),
        blank_page=_chosen(page.blank_page, default.blank_page, "options.page.blank_page"),
        max_runs=_positive(latex, "max_runs", "options.latex", default.max_runs, _MAX_RUNS),
        cold=latex.cold,
    )


def _positive(
    message: pb.PageOptions | pb.LatexOptions, name: str, path: str, default: int, most: int = _MAX_PAGES
) -> int:
    if not message.HasField(name):  # type: ignore[arg-type]
        return default
    value: int = getattr(message, name)
    if not 1 <= value <= most:
        raise InvalidArgumentError(f"{path}.{name}", f"{value} is not from 1 to {most}")
    return value


def _chosen(value: int, default: E, field: str) -> E:
    if value == 0:
        return default
    try:
        return type(default)(value)
    except ValueError:
        raise InvalidArgumentError(field, f"{value} is none of its values") from None


def options_to_wire(options: Options) -> pb.RenderOptions:
    """Return options as the wire has them."""
    page = pb.PageOptions(
        dpi=options.dpi,
        first_page=options.first_page,
        page_count=options.page_count,
        cut_bottom=options.cut_bottom,
        crop=pb.Crop.ValueType(options.crop),
        blank_page=pb.BlankPage.ValueType(options.blank_page),
    )
    latex = pb.LatexOptions(engine=pb.LATEX_ENGINE_PDFLATEX, max_runs=options.max_runs, cold=options.cold)
    return pb.RenderOptions(page=page, latex=latex)


def rendering_to_wire(
    request_id: str,
    rendering: Rendering,
    queue_seconds: float,
    limits: Limits,
    isolation: Isolation,
    installation: Installation,
) -> pb.RenderResponse:
    """Return an answer as the wire has it."""
    stages = [wire.stage_to_wire("queue", wall_seconds=queue_seconds)]
    stages += [wire.stage_to_wire(stage.name, stage.usage, stage.detail) for stage in rendering.stages]
    return pb.RenderResponse(
        id=request_id,
        verdict=pb.Verdict.ValueType(rendering.verdict),
        message=wire.printable(rendering.message)[:_MAX_TEXT],
        pictures=[_picture(picture) for picture in rendering.pictures],
        total_pages=rendering.total_pages,
        error=_error(rendering.error) if rendering.error else None,
        log=wire.log_to_wire(rendering.log),
        stages=stages,
        usage=wire.usage_to_wire(rendering.usage),
        limits=wire.limits_to_wire(limits),
        isolation=wire.isolation_to_wire(isolation),
        engine=engine_to_wire(installation),
        policy_events=wire.policy_events_to_wire(rendering.events),
    )


def _picture(picture: Picture) -> pb.Picture:
    return pb.Picture(
        png=picture.png,
        width=picture.width,
        height=picture.height,
        page=picture.page,
        sha256=picture.sha256,
    )


def _error(error: SourceError) -> pb.SourceError:
    undefined = None
    if error.undefined is not None:
        providers = [
            pb.Provider(kind=pb.ProviderKind.ValueType(one.kind), name=one.name)
            for one in error.undefined.providers
        ]
        undefined = pb.Undefined(name=wire.printable(error.undefined.name), providers=providers)
    return pb.SourceError(
        message=wire.printable(error.message)[:_MAX_TEXT],
        line=error.line,
        file=wire.printable(error.file),
        kind=pb.ErrorKind.ValueType(error.kind),
        undefined=undefined,
        context=wire.printable(error.context),
    )


def engine_to_wire(installation: Installation) -> pb.Engine:
    """Return what makes the pictures as the wire has it."""
    return pb.Engine(name="pdftex", version=installation.version, digest=installation.digest)


def files_from_wire(source: pb.LatexSource) -> tuple[BesideFile, ...]:
    """Return the files beside a document, unchecked."""
    return tuple(BesideFile(file.path, file.content) for file in source.files)
