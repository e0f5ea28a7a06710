"""The warm engine: a jail, browsers that each have a page ready, and Jekyll for sites that need it."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import replace

from i2s_chassis.errors import UnavailableError
from i2s_chassis.jail import Excerpt, Jail, KilledError, PolicyEvent, Usage
from i2s_chassis.renderer.model import RawStage
from i2s_chassis.renderer.verdict import Judgement
from i2s_chassis.warm.pool import Supervisor, WorkerLease
from i2s_render_html import verdict
from i2s_render_html.browser import Browser
from i2s_render_html.capture import check_selector, pixels_of
from i2s_render_html.chromium import Chromium
from i2s_render_html.jekyll import BuiltSite, JekyllBuilder, needs_jekyll, not_installed
from i2s_render_html.model import BrowserError, SelectorError, SiteJob, SiteRendering
from i2s_render_html.page import PreparedPage
from i2s_render_html.page_job import ShownPage, show
from i2s_render_html.sandbox import SandboxChoice
from i2s_render_html.site import INDEX, complaint, lay_out, with_assets
from i2s_wire.render.options import SiteBuild
from i2s_wire.render.rendering import Verdict
from i2s_wire.render.site import SiteResult
from i2s_wire.render.source_error import SourceError

_TRIES = 3
_log = logging.getLogger(__name__)


class HtmlEngine:
    """Renders sites. Enter ``HtmlEngine.open`` to get one."""

    def __init__(
        self,
        choice: SandboxChoice,
        jail: Jail,
        builder: JekyllBuilder | None,
        *,
        on_recycle: Callable[[str], None] = lambda _: None,
        on_ready: Callable[[int], None] = lambda _: None,
    ) -> None:
        """Put the parts together; ``open`` is the way in.

        Args:
            choice: Settings of browsers, and the first of them, which ``open`` takes over.
            jail: Where browsers run.
            builder: None if there is no Jekyll.
            on_recycle: Called with the reason when a browser is replaced.
            on_ready: Called with the number of browsers that are ready.
        """
        browser, settings = choice.settings, choice.settings.service
        self._settings, self._builder, self._first = settings, builder, choice.browser
        own = f"chromium sandbox ({choice.layers})" if choice.layers else "chromium sandbox off"
        around = jail.isolation
        self.isolation = replace(around, mechanisms=(*around.mechanisms, own))
        self.chromium = browser.chromium
        self._browsers: Supervisor[Browser] = Supervisor(
            lambda: Browser.start(jail, browser),
            Browser.close,
            size=settings.slots,
            jobs_per_worker=settings.pages_per_browser,
            alive=lambda browser: browser.alive,
            on_recycle=on_recycle,
            on_ready=on_ready,
        )

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncIterator[HtmlEngine]:
        """Keep browsers ready while this is open."""
        await self._browsers.start(self._first)
        try:
            yield self
        finally:
            await self._browsers.close()

    @property
    def browsers(self) -> int:
        """Browsers that stand ready."""
        return self._browsers.ready

    @property
    def has_jekyll(self) -> bool:
        """Whether sites can be built."""
        return self._builder is not None

    @property
    def installation(self) -> Chromium:
        """The browser, with Jekyll and its plugins among what decides images."""
        return self.chromium.with_jekyll(self._builder.versions) if self._builder else self.chromium

    @property
    def missing(self) -> tuple[str, ...]:
        """Plugins and themes of GitHub Pages and fonts that are not installed, each with its package."""
        plugins = not_installed(self._builder.versions) if self._builder else ()
        complaint = self.chromium.fonts.complaint
        return (*plugins, complaint) if complaint else plugins

    async def render(self, job: SiteJob) -> SiteRendering:
        """Render a site.

        Raises:
            SelectorError: The selector of the job cannot be read.
            UnavailableError: No browser can be started at the moment, or Jekyll is wanted and not here.
            KilledError: Something outside killed Jekyll, the browser or a process of it.
            JailError: A fault of the jail.
        """
        wrong = complaint(job, self._settings)
        if wrong is not None:
            return SiteRendering(Verdict.INVALID_INPUT, wrong)
        options = job.options
        if pixels_of(options.width, options.height, options.device_scale) > job.limits.pixels:
            size = options.width * options.device_scale, options.height * options.device_scale
            return _without_page(verdict.too_many_pixels(*size, job.limits))
        files: Mapping[str, bytes] = lay_out(job)
        built = None
        if options.build is SiteBuild.JEKYLL or (options.build is SiteBuild.AUTO and needs_jekyll(files)):
            built = await self._build(files, job)
            judgement = verdict.of_build(built)
            if judgement is not None or built.files is None:
                return _without_page(judgement or Judgement(Verdict.CRASHED, "Jekyll left nothing."), built)
            files = with_assets(dict(built.files), job)
        entry = job.entry_path or INDEX
        if entry not in files:
            return _without_page(verdict.no_page(job.entry_path, jekyll=built is not None), built)
        return await self._show(files, entry, job, built)

    async def _build(self, files: Mapping[str, bytes], job: SiteJob) -> BuiltSite:
        if self._builder is None:
            raise UnavailableError("this site needs Jekyll, which this service was started without")
        return await self._builder.build(files, job.limits)

    async def _show(
        self, files: Mapping[str, bytes], entry: str, job: SiteJob, built: BuiltSite | None
    ) -> SiteRendering:
        for chance in range(_TRIES):
            try:
                return await self._on_a_browser(files, entry, job, built)
            except BrowserError as error:
                # The browser died while it waited: no doing of this job.
                _log.warning("a browser was lost", extra={"fields": {"reason": str(error)[:500]}})
                if chance == _TRIES - 1:
                    raise UnavailableError("browsers are lost one after the other; see the log") from None
        raise AssertionError("every chance returns or raises")

    async def _on_a_browser(
        self, files: Mapping[str, bytes], entry: str, job: SiteJob, built: BuiltSite | None
    ) -> SiteRendering:
        async with self._browsers.lease() as lease:
            browser = lease.worker
            page = await browser.page()
            try:
                await check_selector(page, job.options.elements)
            except SelectorError as error:
                refused = error  # the page was not used: it stays for the next job
            else:
                return await self._use(lease, page, files, entry, job, built)
        raise refused

    async def _use(
        self,
        lease: WorkerLease[Browser],
        page: PreparedPage,
        files: Mapping[str, bytes],
        entry: str,
        job: SiteJob,
        built: BuiltSite | None,
    ) -> SiteRendering:
        """Show a site on a page, and leave its browser ready for the next one or condemned.

        Raises:
            KilledError: Something outside killed the browser, or a process of it that is not the page's is
                gone, and how it ended is not known.
        """
        browser = lease.worker
        if browser.growth_bytes > self._settings.browser_growth_bytes:
            lease.condemn("grew")
        spent = built.usage if built else Usage()
        shown = await show(browser, page, files, entry, job, self._settings, spent)
        visit = page.visit
        rendering = _with_page(shown, built, visit.events)
        site = replace(rendering.site, console=tuple(visit.console), missing=visit.missing)
        interrupted = shown.interrupted
        if await browser.lost_a_process():
            lease.condemn("died")
            if not shown.limited:
                if not await browser.ended_itself():
                    raise KilledError("the browser has lost a process of its own")
                interrupted = True  # the page may have crashed it, or an operator ended it
        elif rendering.picture is None:
            # A page that did not come to its end may not close either: nobody else is to wait for that.
            try:
                await browser.retire(page)
            except BrowserError:
                lease.condemn("stuck")
        if lease.condemned is None:
            browser.turn(page)
        return replace(rendering, site=site, interrupted=interrupted)


def _without_page(judgement: Judgement, built: BuiltSite | None = None) -> SiteRendering:
    return _with_page(ShownPage(judgement), built, ())


def _with_page(shown: ShownPage, built: BuiltSite | None, events: tuple[PolicyEvent, ...]) -> SiteRendering:
    return SiteRendering(
        verdict=shown.judgement.verdict,
        message=shown.judgement.message,
        pictures=(shown.picture,) if shown.picture else (),
        total_pages=1 if shown.picture else 0,
        site=_of_build(shown.site, built),
        error=_error(shown.judgement, built),
        log=built.log if built else Excerpt(b"", b"", 0),
        stages=(*_build_stage(built), *shown.stages),
        events=(*(built.events if built else ()), *events),
    )


def _of_build(site: SiteResult, built: BuiltSite | None) -> SiteResult:
    if built is None:
        return site
    return replace(site, jekyll=True, left_out=built.left_out, warnings=(*built.left_out, *built.warnings))


def _build_stage(built: BuiltSite | None) -> tuple[RawStage, ...]:
    if built is None:
        return ()
    return (RawStage("build", built.usage, "warm" if built.warm else "cold", built.ended_ns),)


def _error(judgement: Judgement, built: BuiltSite | None) -> SourceError | None:
    if built is not None and built.error is not None:
        return SourceError(built.error.message, line=built.error.line or 0, file=built.error.file)
    if judgement.verdict is Verdict.RENDERED_WITH_ERRORS:
        return SourceError(judgement.message)
    return None
