"""RenderService over the engine of sites: messages to jobs, results to messages."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from i2s.render.v1 import render_pb2 as pb
from i2s_chassis.errors import InvalidArgumentError
from i2s_chassis.limits import Limits
from i2s_chassis.renderer.servicer import Identity, RendererServicer
from i2s_chassis.renderer.wire import chosen, printable, refuse_foreign, whole_number
from i2s_chassis.server.service import Chassis
from i2s_render_html.engine import HtmlEngine
from i2s_render_html.model import Options, ResolvedElementQuery, SelectorError, SiteJob, SiteRendering
from i2s_render_html.settings import HtmlSettings
from i2s_wire.codec import encode
from i2s_wire.render.options import WindowOptions
from i2s_wire.render.rendering import Rendering
from i2s_wire.render.request import File
from i2s_wire.render.site import ConsoleEntry, PageLayout, SiteResult

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
        want_blocks=site.want_blocks,
    )


def _query(site: pb.SiteOptions) -> ResolvedElementQuery:
    wanted, field = site.elements, "options.site.elements"
    most = wanted.max_elements if wanted.HasField("max_elements") else ResolvedElementQuery().max_elements
    if not 1 <= most <= _MOST_ELEMENTS:
        raise InvalidArgumentError(f"{field}.max_elements", f"{most} is not from 1 to {_MOST_ELEMENTS}")
    kind = wanted.WhichOneof("select")
    if kind is None or (kind == "interactive" and not wanted.interactive):
        raise InvalidArgumentError(field, "selects nothing; give css or interactive")
    if kind == "interactive":
        return ResolvedElementQuery(max_elements=most)
    if not wanted.css.strip() or len(wanted.css) > _MOST_SELECTOR:
        raise InvalidArgumentError(f"{field}.css", f"is empty or longer than {_MOST_SELECTOR} characters")
    return ResolvedElementQuery(wanted.css, most)


def options_to_wire(options: Options) -> pb.RenderOptions:
    """Return options as the wire has them; of elements nothing, since none is a default."""
    window = WindowOptions(options.width, options.height, options.device_scale, options.full_page)
    site = pb.SiteOptions(
        want_text=options.want_text,
        build=pb.SiteBuild.ValueType(options.build),
        want_blocks=options.want_blocks,
    )
    return pb.RenderOptions(window=encode(window, pb.WindowOptions), site=site)


def files_from_wire(source: pb.SiteSource) -> tuple[tuple[File, ...], tuple[File, ...]]:
    """Return the files and the assets of a site, unchecked."""
    files = tuple(File(file.path, file.content) for file in source.files)
    return files, tuple(File(file.path, file.content) for file in source.assets)


def printable_site(site: SiteResult) -> SiteResult:
    """Return what is known of a page with all its texts made printable."""
    return SiteResult(
        title=printable(site.title),
        text=printable(site.text),
        console=tuple(
            ConsoleEntry(console_entry.level, printable(console_entry.text)) for console_entry in site.console
        ),
        elements=tuple(
            replace(
                element,
                tag=printable(element.tag),
                text=printable(element.text),
                role=printable(element.role),
                href=printable(element.href),
            )
            for element in site.elements
        ),
        settled=site.settled,
        jekyll=site.jekyll,
        missing=tuple(map(printable, site.missing)),
        warnings=tuple(map(printable, site.warnings)),
        left_out=tuple(map(printable, site.left_out)),
        layout=_printable_layout(site.layout) if site.layout else None,
    )


def _printable_layout(layout: PageLayout) -> PageLayout:
    return replace(
        layout,
        blocks=tuple(
            replace(block, text=printable(block.text), path=printable(block.path)) for block in layout.blocks
        ),
        tree=replace(layout.tree, names=tuple(map(printable, layout.tree.names))),
    )


class HtmlServicer(RendererServicer[SiteJob, SiteRendering]):
    """Answers render requests."""

    _engine: HtmlEngine

    def __init__(self, engine: HtmlEngine, settings: HtmlSettings, chassis: Chassis) -> None:
        options = options_to_wire(Options())
        identity = Identity("i2s-render-html", "site", "chromium", options, settings.site_files)
        super().__init__(identity, engine, settings, chassis)

    @property
    def missing(self) -> tuple[str, ...]:  # noqa: D102 - see RendererServicer, as everything below
        return self._engine.missing

    def job(self, request: pb.RenderRequest, limits: Limits) -> SiteJob:  # noqa: D102
        files, assets = files_from_wire(request.site)
        return SiteJob(files, assets, request.site.entry_path, options_from_wire(request.options), limits)

    def source_sha256(self, job: SiteJob) -> str:  # noqa: D102
        digest = hashlib.sha256()
        for file in (*job.files, *job.assets):
            digest.update(f"{len(file.path)} {len(file.content)} {file.path}".encode(errors="replace"))
            digest.update(file.content)
        return digest.hexdigest()

    async def render(self, job: SiteJob) -> SiteRendering:  # noqa: D102
        try:
            return await super().render(job)
        except SelectorError as error:
            raise InvalidArgumentError("options.site.elements.css", str(error)) from None

    def warm(self) -> list[pb.WarmEngine]:  # noqa: D102
        name = f"chromium {self._engine.chromium.version}"
        return [pb.WarmEngine(kind="browser", name=name) for _ in range(self._engine.browsers)]

    def complete(self, answer: Rendering, raw: SiteRendering) -> Rendering:  # noqa: D102
        return replace(answer, site=printable_site(raw.site))

    def notes(self, raw: SiteRendering) -> dict[str, object]:  # noqa: D102
        return {"jekyll": raw.site.jekyll}
