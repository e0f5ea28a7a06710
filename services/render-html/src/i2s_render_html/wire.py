"""Between the wire and the words of this renderer."""

from __future__ import annotations

from collections.abc import Sequence

from i2s.render.v1 import render_pb2 as pb
from i2s_chassis.errors import InvalidArgumentError
from i2s_chassis.renderer import wire
from i2s_chassis.renderer.options import chosen, refuse_foreign, whole_number
from i2s_render_html.model import ElementQuery, Options, PageFacts, SiteFile

_MOST_SIDE = 16_384
_LEAST_SCALE, _MOST_SCALE = 0.1, 8.0
_MOST_ELEMENTS = 10_000
_MOST_SELECTOR = 2048


def options_from_wire(message: pb.RenderOptions) -> Options:
    """Return what a request asks for, defaults elsewhere.

    Raises:
        InvalidArgumentError: A value has no meaning; names the field.
    """
    default, window, site = Options(), message.window, message.site
    refuse_foreign(message, ("window", "site"), "sites")
    scale = window.device_scale if window.HasField("device_scale") else default.device_scale
    if not _LEAST_SCALE <= scale <= _MOST_SCALE:  # NaN neither
        raise InvalidArgumentError(
            "options.window.device_scale", f"{scale} is not from {_LEAST_SCALE:g} to {_MOST_SCALE:g}"
        )
    width = whole_number(window, "width", "options.window", default.width, _MOST_SIDE)
    height = whole_number(window, "height", "options.window", default.height, _MOST_SIDE)
    if min(width, height) * scale < 1:
        raise InvalidArgumentError(
            "options.window.device_scale", f"{scale} leaves less than one pixel of {width} x {height}"
        )
    return Options(
        width=width,
        height=height,
        device_scale=scale,
        full_page=window.full_page,
        want_text=site.want_text,
        elements=_query(site) if site.HasField("elements") else None,
        build=chosen(site.build, default.build, "options.site.build"),
    )


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


def facts_to_wire(facts: PageFacts, *, jekyll: bool, warnings: Sequence[str] = ()) -> pb.SiteResult:
    """Return what is known of a page as the wire has it."""
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
                href=wire.printable(one.href),
                visible=one.visible,
                covered=one.covered,
                clipped=one.clipped,
                rectangles=one.rectangles,
                joined=one.joined,
            )
            for one in facts.elements
        ],
        settled=facts.settled,
        jekyll=jekyll,
        missing=[wire.printable(path) for path in facts.missing],
        warnings=[wire.printable(warning) for warning in warnings],
    )
