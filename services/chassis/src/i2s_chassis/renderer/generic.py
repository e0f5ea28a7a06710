"""Renderers of generic sources: everything of a renderer but its settings and its engine.

An engine is a ``GenericEngine``; if it is a program that draws one image, a ``ProgramEngine``. The function
``command.run_generic`` makes a service of it.
"""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, TypeVar

from i2s.render.v1 import render_pb2 as pb
from i2s_chassis.errors import RasterError
from i2s_chassis.jail import Cell, Ended, Isolation, Jail, OutputError
from i2s_chassis.limits import Limits
from i2s_chassis.renderer.bounds import ReceivedSource, bounded_log, disk_complaint, source_complaint
from i2s_chassis.renderer.crop import finish_in_thread
from i2s_chassis.renderer.model import EngineInstallation, RawRendering, RawStage, ResolvedPageOptions
from i2s_chassis.renderer.pixmap import read_png
from i2s_chassis.renderer.png import png_size
from i2s_chassis.renderer.servicer import Identity, RendererServicer
from i2s_chassis.renderer.settings import GenericSettings, open_jail
from i2s_chassis.renderer.start_checks import canary_limits, canary_required, check_canary
from i2s_chassis.renderer.verdict import limit_passed, too_many_pixels
from i2s_chassis.renderer.wire import page_from_wire, refuse_foreign, source_from_wire
from i2s_chassis.server.service import Chassis, Register
from i2s_wire.codec import encode
from i2s_wire.render.options import PageOptions
from i2s_wire.render.rendering import Verdict
from i2s_wire.render.request import File, GenericSource
from i2s_wire.render.source_error import SourceError
from i2s_wire.renderer import RendererSpec

S = TypeVar("S", bound=GenericSettings)


@dataclass(frozen=True, slots=True)
class GenericJob:
    """One source to render."""

    #: The source, unchecked.
    source: ReceivedSource
    #: Which pages are wanted, and how.
    options: ResolvedPageOptions
    #: Limits in force.
    limits: Limits


class GenericEngine(ABC):
    """An engine for generic sources, which checks them before it draws."""

    #: Name of the program that makes the images.
    name: ClassVar[str]
    #: Options in force where a request has none.
    options: ClassVar[ResolvedPageOptions] = ResolvedPageOptions(dpi=100.0)
    #: Names of files that the engine takes for itself.
    reserved: ClassVar[tuple[str, ...]] = ()
    #: Files that it writes at least.
    by_products: ClassVar[int] = 1

    def __init__(self, settings: GenericSettings, jail: Jail, installation: EngineInstallation) -> None:
        """Make an engine.

        Args:
            settings: Bounds on sources.
            jail: The sandbox of its jobs.
            installation: Everything that decides its images.
        """
        self.settings, self.jail, self.installation = settings, jail, installation

    @property
    def isolation(self) -> Isolation:
        """The isolation that jobs run in."""
        return self.jail.isolation

    @abstractmethod
    async def draw(self, job: GenericJob) -> RawRendering:
        """Draw a source that is within the bounds.

        Raises:
            RendererError: A fault of the engine.
            JailError: A fault of the jail.
        """

    def warm(self) -> Sequence[pb.WarmEngine]:
        """Return what stands ready."""
        return ()

    async def render(self, job: GenericJob) -> RawRendering:
        """Do a job: check its source, and draw it.

        Raises:
            RendererError: A fault of the engine.
            JailError: A fault of the jail.
        """
        source, settings = job.source, self.settings
        wrong = source_complaint(
            source,
            self.reserved,
            max_bytes=settings.source_bytes,
            max_file_bytes=settings.beside_bytes,
            max_files=settings.beside_files,
        )
        if wrong is not None:
            return RawRendering(Verdict.INVALID_INPUT, wrong)
        contents, paths = [file.content for file in source.files], [file.path for file in source.files]
        full = disk_complaint(contents, job.limits, by_products=self.by_products, paths=paths)
        if full is not None:
            return RawRendering(Verdict.OUTPUT_LIMIT, full)
        return await self.draw(job)


class ProgramEngine(GenericEngine):
    """An engine that is a program, started for each job, which leaves one image as PNG."""

    #: The file that it leaves.
    drawing: ClassVar[str] = "page.png"
    #: Paths that a job reads beside the folders of the system.
    readable: tuple[Path, ...] = ()

    @abstractmethod
    def command(self, job: GenericJob) -> Sequence[str]:
        """Return the words of the program; it runs in the folder of the files of the source."""

    @abstractmethod
    def error(self, output: str) -> SourceError:
        """Return the error in what the program wrote before it ended with another exit code than 0."""

    async def draw(self, job: GenericJob) -> RawRendering:
        """Run the program in a cell and take its image."""
        async with self.jail.cell(job.limits, job.source.contents, readable=self.readable) as cell:
            return await self._rendering(cell, await cell.run(list(self.command(job))), job)

    async def _rendering(self, cell: Cell, ended: Ended, job: GenericJob) -> RawRendering:
        finished = functools.partial(
            RawRendering,
            log=bounded_log(ended.output, job.limits.log_bytes),
            stages=(run := RawStage("compile", ended.usage),),
            events=ended.events,
        )
        passed = limit_passed(ended.cause, job.limits, "drawing", program="The program")
        if passed is not None:
            return finished(passed.verdict, passed.message)
        if ended.exit_code != 0:
            error = self.error(ended.output.whole.decode(errors="replace"))
            return finished(Verdict.COMPILE_ERROR, f"The program failed: {error.message}", error=error)
        try:
            drawing = await cell.fetch(self.drawing)
            large = too_many_pixels(png_size(drawing), job.limits)
            if large is not None:
                return finished(large.verdict, large.message)
            picture, crop = await finish_in_thread(functools.partial(read_png, drawing), 1, job.options)
        except (OutputError, RasterError) as error:
            return finished(Verdict.NO_OUTPUT, f"The program has left no {self.drawing}: {error}")
        if picture is None:
            return finished(Verdict.NO_OUTPUT, "The page is blank.", total_pages=1)
        return finished(Verdict.RENDERED, "", pictures=(picture,), total_pages=1, stages=(run, crop))


class GenericServicer(RendererServicer[GenericJob, RawRendering]):
    """Answers render requests."""

    _engine: GenericEngine

    def __init__(
        self, spec: RendererSpec, engine: GenericEngine, settings: GenericSettings, chassis: Chassis
    ) -> None:
        options = pb.RenderOptions(page=encode(engine.options, pb.PageOptions, PageOptions))
        files = settings.beside_files + 1
        identity = Identity(spec.package, "generic", engine.name, options, files, spec.languages)
        super().__init__(identity, engine, settings, chassis)
        self._title = spec.languages[0]

    def job(self, request: pb.RenderRequest, limits: Limits) -> GenericJob:  # noqa: D102 - see RendererServicer
        refuse_foreign(request.options, ("page",), f"sources in {self._title}")
        options = page_from_wire(request.options.page, self._engine.options)
        return GenericJob(source_from_wire(request.generic), options, limits)

    def source_sha256(self, job: GenericJob) -> str:  # noqa: D102
        return job.source.sha256

    def warm(self) -> list[pb.WarmEngine]:  # noqa: D102
        return list(self._engine.warm())


#: Opens the engine of a renderer; it is closed at the end of the block.
OpenEngine = Callable[[S, Jail], AbstractAsyncContextManager[GenericEngine]]


class GenericService:
    """An engine behind the wire."""

    wire_names = ("i2s.render.v1.RenderService",)

    def __init__(self, spec: RendererSpec, settings: S, open_engine: OpenEngine[S]) -> None:
        """Make a service.

        Args:
            spec: The renderer.
            settings: Its settings.
            open_engine: Opens its engine.
        """
        self.name, self._spec, self._settings = spec.name, spec, settings
        self._open_engine = functools.partial(open_engine, settings)

    @asynccontextmanager
    async def open(self, chassis: Chassis) -> AsyncIterator[Register]:
        """Come up, pass the canary, give out the servicer; see `i2s_chassis.server.service.Service`.

        Raises:
            StartError: Something is missing on this machine.
        """
        settings = self._settings
        async with open_jail(settings, chassis) as jail, self._open_engine(jail) as engine:
            with canary_required(chassis.telemetry):
                limits = canary_limits(settings.limit_table())
                check_canary(await engine.render(canary_job(self._spec, engine.options, limits)))
            yield GenericServicer(self._spec, engine, settings, chassis).registration()


def canary_job(spec: RendererSpec, options: ResolvedPageOptions, limits: Limits) -> GenericJob:
    """Return the job of the canary of a renderer.

    Args:
        spec: The renderer, whose canary is a generic source.
        options: Options of the job.
        limits: Its limits.
    """
    canary = spec.canary
    assert isinstance(canary, GenericSource)
    files = tuple(File(path, content) for path, content in canary.files.items())
    return GenericJob(ReceivedSource(canary.language, canary.entry, files), options, limits)
