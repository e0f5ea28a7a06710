"""Between the wire and the words of this renderer."""

from __future__ import annotations

import enum
import math
import re
from typing import Literal, TypeVar

from i2s.render.v1 import render_pb2 as pb
from i2s_chassis import wire
from i2s_chassis.errors import InvalidArgumentError
from i2s_chassis.jail import Isolation
from i2s_chassis.limits import Limits
from i2s_render_lilypond.installation import Installation
from i2s_render_lilypond.model import Options, Picture, Rendering, SourceError

_MAX_DPI = 2400.0
_MAX_PAGES = 100_000
_MAX_TEXT = 2048
_VERSION = re.compile(r"\d{1,4}\.\d{1,4}(\.\d{1,4})?")

E = TypeVar("E", bound=enum.IntEnum)


def options_from_wire(message: pb.RenderOptions) -> Options:
    """Return what a request asks for, defaults elsewhere.

    Raises:
        InvalidArgumentError: A value has no meaning; names the field.
    """
    default, page, lilypond = Options(), message.page, message.lilypond
    for name in ("window", "site", "latex"):
        if message.HasField(name):
            raise InvalidArgumentError(f"options.{name}", "has no meaning for LilyPond; leave it out")
    dpi = page.dpi if page.HasField("dpi") else default.dpi
    if not (math.isfinite(dpi) and 0 < dpi <= _MAX_DPI):
        raise InvalidArgumentError("options.page.dpi", f"{dpi} is not above 0 and at most {_MAX_DPI:g}")
    cut = page.cut_bottom if page.HasField("cut_bottom") else default.cut_bottom
    if not 0 <= cut < 1:
        raise InvalidArgumentError("options.page.cut_bottom", f"{cut} is not from 0 to below 1")
    return Options(
        dpi=dpi,
        first_page=_positive(page, "first_page", default.first_page),
        page_count=_positive(page, "page_count", default.page_count),
        cut_bottom=cut,
        crop=_chosen(page.crop, default.crop, "options.page.crop"),
        blank_page=_chosen(page.blank_page, default.blank_page, "options.page.blank_page"),
        convert=_chosen(lilypond.convert, default.convert, "options.lilypond.convert"),
        no_footers=lilypond.no_footers if lilypond.HasField("no_footers") else default.no_footers,
    )


def version_from_wire(version: str) -> str:
    """Return the version to convert from, empty for none.

    Raises:
        InvalidArgumentError: It is no version.
    """
    if version and _VERSION.fullmatch(version) is None:
        raise InvalidArgumentError("lilypond.assume_version", "is no version such as 2.18.0")
    return version


def _positive(message: pb.PageOptions, name: Literal["first_page", "page_count"], default: int) -> int:
    if not message.HasField(name):
        return default
    value: int = getattr(message, name)
    if not 1 <= value <= _MAX_PAGES:
        raise InvalidArgumentError(f"options.page.{name}", f"{value} is not from 1 to {_MAX_PAGES}")
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
    lilypond = pb.LilypondOptions(
        convert=pb.LilypondConvert.ValueType(options.convert), no_footers=options.no_footers
    )
    return pb.RenderOptions(page=page, lilypond=lilypond)


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
    if error.undefined:
        undefined = pb.Undefined(name=wire.printable(error.undefined))
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
    return pb.Engine(name="lilypond", version=installation.version, digest=installation.digest)
