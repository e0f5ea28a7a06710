"""RenderService over the engine of sites."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from i2s.render.v1 import render_pb2 as pb
from i2s_chassis.errors import InvalidArgumentError
from i2s_chassis.jail import Isolation
from i2s_chassis.limits import Limits
from i2s_chassis.renderer.servicer import Identity, RendererServicer
from i2s_chassis.server.service import Chassis
from i2s_render_html.chromium import Chromium
from i2s_render_html.engine import HtmlEngine
from i2s_render_html.errors import SelectorError
from i2s_render_html.model import Job, Options, SiteRendering
from i2s_render_html.settings import HtmlSettings
from i2s_render_html.wire import files_from_wire, options_from_wire, options_to_wire, printable_site
from i2s_wire.render.rendering import Rendering


class HtmlServicer(RendererServicer[Job, SiteRendering]):
    """Answers render requests."""

    def __init__(self, engine: HtmlEngine, settings: HtmlSettings, chassis: Chassis) -> None:
        options = options_to_wire(Options())
        identity = Identity("i2s-render-html", "site", "chromium", options, settings.site_files)
        super().__init__(identity, settings, chassis)
        self._engine = engine

    @property
    def installation(self) -> Chromium:  # noqa: D102 - see RendererServicer, as everything below
        return self._engine.installation

    @property
    def missing(self) -> tuple[str, ...]:  # noqa: D102
        return self._engine.missing

    @property
    def isolation(self) -> Isolation:  # noqa: D102
        return self._engine.isolation

    def job(self, request: pb.RenderRequest, limits: Limits) -> Job:  # noqa: D102
        files, assets = files_from_wire(request.site)
        return Job(files, assets, request.site.entry_path, options_from_wire(request.options), limits)

    def source_sha256(self, job: Job) -> str:  # noqa: D102
        digest = hashlib.sha256()
        for file in (*job.files, *job.assets):
            digest.update(f"{len(file.path)} {len(file.content)} {file.path}".encode(errors="replace"))
            digest.update(file.content)
        return digest.hexdigest()

    async def render(self, job: Job) -> SiteRendering:  # noqa: D102
        try:
            return await self._engine.render(job)
        except SelectorError as error:
            raise InvalidArgumentError("options.site.elements.css", str(error)) from None

    def warm(self) -> list[pb.WarmEngine]:  # noqa: D102
        name = f"chromium {self._engine.chromium.version}"
        return [pb.WarmEngine(kind="browser", name=name) for _ in range(self._engine.browsers)]

    def complete(self, answer: Rendering, raw: SiteRendering) -> Rendering:  # noqa: D102
        return replace(answer, site=printable_site(raw.site))

    def notes(self, raw: SiteRendering) -> dict[str, object]:  # noqa: D102
        return {"jekyll": raw.site.jekyll}
