"""The warm engine: a jail, formats that stand ready, and an index of what could be loaded."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Mapping, Sequence

from i2s_chassis.callers.shares import current_flow
from i2s_chassis.errors import EngineError
from i2s_chassis.jail import Cause, Cell, Isolation, Jail, Usage
from i2s_chassis.renderer.bounds import bounded_log
from i2s_chassis.renderer.model import RawRendering
from i2s_chassis.renderer.verdict import Judgement
from i2s_render_latex.compile import Compiled, compile_in
from i2s_render_latex.document import PDF, SOURCE, complaint, disk_complaint, preamble_of, without
from i2s_render_latex.format_build import Built, build_format
from i2s_render_latex.formats import BuildBudget, BuildShares, Format, FormatCache, Formats
from i2s_render_latex.installation import ENVIRONMENT, LatexInstallation
from i2s_render_latex.model import LatexJob
from i2s_render_latex.pages import PageRenderer, RenderedDocument
from i2s_render_latex.preparation import PreparedFonts, UnpackedFormats
from i2s_render_latex.programs import PROGRAMS
from i2s_render_latex.raster import limits_of_raster
from i2s_render_latex.settings import LatexSettings
from i2s_render_latex.source_error import source_error
from i2s_render_latex.state import state_folder
from i2s_render_latex.texindex import TexIndex
from i2s_render_latex.verdict import of_compilation
from i2s_wire.render.options import LatexEngine as TexEngine
from i2s_wire.render.rendering import Verdict


class LatexRenderer:
    """Renders documents. Enter ``LatexEngine.open`` to get one."""

    def __init__(
        self,
        settings: LatexSettings,
        jail: Jail,
        installation: LatexInstallation,
        index: TexIndex,
        is_idle: Callable[[], bool] = lambda: True,
        fonts: PreparedFonts | None = None,
        unpacked: UnpackedFormats | None = None,
    ) -> None:
        """Put the parts together; ``open`` is the way in.

        Args:
            settings: What an operator decided.
            jail: Where TeX runs.
            installation: What it reads.
            index: Index of what could be loaded.
            is_idle: Whether a format may be built in the background now.
            fonts: Prepared for LuaTeX and XeTeX; without them each job looks for all fonts.
            unpacked: What cold runs begin with; without them each unpacks a format of TeX Live.

        Raises:
            OSError: The folder of formats cannot be used.
        """
        self._settings, self._jail, self._index = settings, jail, index
        self.installation, self._fonts = installation, fonts
        self._environment = {**ENVIRONMENT, **(unpacked.environment if unpacked else {})}
        self._readable = (*installation.readable, *((unpacked.folder,) if unpacked else ()))
        folder = state_folder(settings.state_dir) / "formats"
        self._cache = FormatCache(folder, installation.digest, settings.formats_bytes)
        budget = BuildBudget(BuildShares(settings.format_build_seconds, settings.format_caller_seconds))
        self._formats = Formats(self._cache, self._build, settings.format_after, budget, is_idle)

    async def _build(self, head: bytes) -> Built:
        return await build_format(
            self._jail, self.installation, head, readable=self._readable, environment=self._environment
        )

    @contextlib.asynccontextmanager
    async def open(self, known: Mapping[str, bytes]) -> AsyncIterator[LatexRenderer]:
        """Make the formats of known preambles (name to text), then build hot ones while this is open."""
        await self._formats.know(known)
        async with self._formats.open():
            yield self

    @property
    def isolation(self) -> Isolation:
        """The isolation that jobs run in."""
        return self._jail.isolation

    @property
    def formats(self) -> tuple[Format, ...]:
        """All formats that stand ready."""
        return tuple(self._formats)

    async def render(self, job: LatexJob) -> RawRendering:
        """Render a document.

        Raises:
            EngineError: TeX cannot run here.
            RasterError: Poppler drew something else than was computed.
            JailError: A fault of the jail.
        """
        settings = self._settings
        wrong = complaint(
            job.document,
            job.files,
            max_bytes=settings.document_bytes,
            max_file_bytes=settings.beside_bytes,
            max_files=settings.beside_files,
        )
        if wrong is not None:
            return RawRendering(Verdict.INVALID_INPUT, wrong)
        full = disk_complaint(job.document, job.files, job.limits)
        if full is not None:
            return RawRendering(Verdict.OUTPUT_LIMIT, full)
        compiled, drawn = await self._compile_and_draw(job)
        return self._rendering(job, compiled, drawn)

    async def _compile_and_draw(self, job: LatexJob) -> tuple[Compiled, RenderedDocument]:
        """Run TeX with the formats that serve the document best, and draw what it made."""
        beside = {file.path: file.content for file in job.files}
        async with self._formats_of(job, beside) as formats:
            document = without(job.document, formats[-1].preamble) if formats else job.document
            paths = [one.path for one in formats]
            first, again = (paths[0], paths[-1]) if paths else (None, None)
            readable = (*self._readable, *paths)
            engine, runs = job.options.engine, job.options.max_runs
            given = {**beside, SOURCE: document}
            environment = {**self._environment, **PROGRAMS[engine].environment}
            if engine is not TexEngine.PDFLATEX and self._fonts is not None:
                readable = (*readable, self._fonts.folder)
                given |= self._fonts.files(engine)
                environment |= self._fonts.environment(engine)
            async with self._jail.cell(job.limits, given, readable=readable) as cell:
                compiled = await compile_in(cell, engine, beside, first, again, runs, environment=environment)
                if compiled.ended.cause is Cause.EXITED and compiled.log is None:
                    words = compiled.ended.output.whole.decode(errors="replace")[:500]
                    raise EngineError(f"TeX ended without a log: {words}")
                compiled = compiled.located(job.document)
                judgement = of_compilation(compiled, job.limits)
                if judgement is not None:
                    return compiled, RenderedDocument(judgement)
                return compiled, await self._draw(cell, job, compiled)

    @contextlib.asynccontextmanager
    async def _formats_of(
        self, job: LatexJob, beside: Mapping[str, bytes]
    ) -> AsyncIterator[Sequence[Format]]:
        """Have the formats that serve a job: that of its first run first, that of all others last."""
        cold = job.options.cold or job.options.engine is not TexEngine.PDFLATEX
        preamble = None if cold else await asyncio.to_thread(preamble_of, job.document)
        if preamble is None:
            yield ()
            return
        self._formats.saw(preamble, current_flow().caller)
        formats = self._formats.find(preamble, beside)
        with contextlib.ExitStack() as lent:
            for one in formats:
                lent.enter_context(self._cache.lend(one))
            yield formats

    async def _draw(self, cell: Cell, job: LatexJob, compiled: Compiled) -> RenderedDocument:
        """Draw in the cell made new: nothing of the document but its PDF is in there."""
        spent = sum((stage.usage for stage in compiled.stages), Usage())
        await cell.renew(limits_of_raster(job.limits, len(compiled.pdf), spent), {PDF: compiled.pdf})
        most = self._settings.picture_bytes
        return await PageRenderer(cell, compiled.pdf, job.options, job.limits, spent.cpu_seconds, most).draw()

    def _rendering(self, job: LatexJob, compiled: Compiled, drawn: RenderedDocument) -> RawRendering:
        judgement = drawn.judgement or Judgement(Verdict.RENDERED, "")
        error = compiled.facts.error if judgement.verdict is Verdict.COMPILE_ERROR else None
        return RawRendering(
            verdict=judgement.verdict,
            message=judgement.message,
            pictures=tuple(drawn.pictures),
            total_pages=drawn.total_pages or compiled.facts.pages,
            error=source_error(error, self._index) if error else None,
            log=bounded_log(compiled.log, job.limits.log_bytes),
            stages=(*compiled.stages, *drawn.stages),
            events=(*compiled.events, *drawn.events),
        )
