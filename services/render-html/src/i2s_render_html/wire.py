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
from i2s_render_html.chromium import Chromium
from i2s_render_html.model import ElementQuery, Options, PageFacts, Picture, Rendering, SiteFile

_MOST_SIDE = 16_384
_MOST_SCALE = 8.0
_MOST_ELEMENTS = 10_000
_MOST_SELECTOR = 2048
_MAX_TEXT = 2048

E = TypeVar("E", bound=enum.IntEnum)


def options_from_wire(message: pb.RenderOptions) -> Options:
    """Return what a request asks for, defaults elsewhere.

    Raises:
        InvalidArgumentError: A value has no meaning; names the field.
    """
    default, window, site = Options(), message.window, message.site
    for name in ("page", "latex", "lilypond"):
        if message.HasField(name):
            raise InvalidArgumentError(f"options.{name}", "has no meaning for sites; leave it out")
    scale = window.device_scale if window.HasField("device_scale") else default.device_scale
    if not (math.isfinite(scale) and 0 < scale <= _MOST_SCALE):
        raise InvalidArgumentError(
            "options.window.device_scale", f"{scale} is not above 0 and at most {_MOST_SCALE:g}"
        )
    return Options(
        width=_side(window, "width", default.width),
        height=_side(window, "height", default.height),
        device_scale=scale,
        full_page=window.full_page,
        want_text=site.want_text,
        elements=_query(site) if site.HasField("elements") else None,
        build=_chosen(site.build, default.build, "options.site.build"),
    )


def _side(window: pb.WindowOptions, name: str, default: int) -> int:
    if not window.HasField(name):  # type: ignore[arg-type]
        return default
    value: int = getattr(window, name)
    if not 1 <= value <= _MOST_SIDE:
        raise InvalidArgumentError(f"options.window.{name}", f"{value} is not from 1 to {_MOST_SIDE}")
    return value


def _query(site: pb.SiteOptions) -> ElementQuery:
    wanted, field = site.elements, "options.site.elements"
    most = wanted.max_elements if wanted.HasField("max_elements") else ElementQuery().most
    if not 1 <= most <= _MOST_ELEMENTS:
        raise InvalidArgumentError(f"{field}.max_elements", f"{most} is not from 1 to {_MOST_ELEMENTS}")
    kind = wanted.WhichOneof("select")
    if kind is None or (kind == "interactive" and not wanted.interactive):
        raise InvalidArgumentError(field, "selects nothing; give css or interactive")
    if kind == "interactive":
        return ElementQuery(most=most)
    if not wanted.css.strip() or len(wanted.css) > _MOST_SELECTOR:
        raise InvalidArgumentError(f"{field}.css", f"is empty or longer than {_MOST_SELECTOR} characters")
    return ElementQuery(wanted.css, most)


def _chosen(value: int, default: E, field: str) -> E:
    if value == 0:
        return default
    try:
        return type(default)(value)
    except ValueError:
        raise InvalidArgumentError(field, f"{value} is none of its values") from None


def options_to_wire(options: Options) -> pb.RenderOptions:
    """Return options as the wire has them; of elements nothing, since none is a default."""
    window = pb.WindowOptions(
        width=options.width,
        height=options.height,
        device_scale=options.device_scale,
        full_page=options.full_page,
    )
    site = pb.SiteOptions(want_text=options.want_text, build=pb.SiteBuild.ValueType(options.build))
    return pb.RenderOptions(window=window, site=site)


def files_from_wire(source: pb.SiteSource) -> tuple[tuple[SiteFile, ...], tuple[SiteFile, ...]]:
    """Return the files and the assets of a site, unchecked."""
    files = tuple(SiteFile(file.path, file.content) for file in source.files)
    return files, tuple(SiteFile(file.path, file.content) for file in source.assets)


def rendering_to_wire(
    request_id: str,
    rendering: Rendering,
    queue_seconds: float,
    limits: Limits,
    isolation: Isolation,
    chromium: Chromium,
) -> pb.RenderResponse:
    """Return an answer as the wire has it."""
    stages = [wire.stage_to_wire("queue", wall_seconds=queue_seconds)]
    stages += [wire.stage_to_wire(stage.name, stage.usage, stage.detail) for stage in rendering.stages]
    return pb.RenderResponse(
        id=request_id,
        verdict=pb.Verdict.ValueType(rendering.verdict),
        message=wire.printable(rendering.message)[:_MAX_TEXT],
        pictures=[_picture(rendering.picture)] if rendering.picture else [],
        total_pages=1 if rendering.picture else 0,
        error=_error(rendering),
        log=wire.log_to_wire(rendering.log),
        site=_facts(rendering.facts, jekyll=rendering.jekyll),
        stages=stages,
        usage=wire.usage_to_wire(rendering.usage),
        limits=wire.limits_to_wire(limits),
        isolation=wire.isolation_to_wire(isolation),
        engine=engine_to_wire(chromium),
        policy_events=wire.policy_events_to_wire(rendering.events),
    )


def _picture(picture: Picture) -> pb.Picture:
    return pb.Picture(
        png=picture.png, width=picture.width, height=picture.height, page=1, sha256=picture.sha256
    )


def _error(rendering: Rendering) -> pb.SourceError | None:
    error = rendering.error
    if error is None:
        return None
    return pb.SourceError(
        message=wire.printable(error.message)[:_MAX_TEXT],
        file=wire.printable(error.file),
        line=error.line,
        kind=pb.ERROR_KIND_OTHER,
    )


def _facts(facts: PageFacts, *, jekyll: bool) -> pb.SiteResult:
    return pb.SiteResult(
        title=wire.printable(facts.title),
        text=wire.printable(facts.text),
        console=[pb.ConsoleEntry(level=one.level, text=wire.printable(one.text)) for one in facts.console],
        elements=[
            pb.Element(
                tag=wire.printable(one.tag),
                text=wire.printable(one.text),
                role=wire.printable(one.role),
                clickable=one.clickable,
                x=one.x,
                y=one.y,
                width=one.width,
                height=one.height,
            )
            for one in facts.elements
        ],
        settled=facts.settled,
        jekyll=jekyll,
        missing=[wire.printable(path) for path in facts.missing],
    )


def engine_to_wire(chromium: Chromium) -> pb.Engine:
    """Return what makes the pictures as the wire has it."""
    return pb.Engine(name="chromium", version=chromium.version, digest=chromium.digest)
