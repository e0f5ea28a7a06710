"""Renderers of generic sources whose engine is a Python module in a warm interpreter.

The module is a worker, see ``inside.zygote.Worker``. It takes ``JOB`` from the folder of the files of the
source and delivers (``inside.delivery.answer``; ``result`` reads it) a header with these fields, all but the
first optional:

- ``verdict``: name of the verdict.
- ``message``: a sentence for people.
- ``total``: number of pages of the document.
- ``pages``: number of each page that was drawn, in the order of the images, which are PNG of 8 bit.
- ``error``: fields of ``SourceError``: "message", "line", "file", "context", and "kind" by name; "missing" is
  the name of what is not defined.
- ``events``: pairs of a kind of policy event, by name, and a detail.
"""

from __future__ import annotations

import functools
import importlib.util
import json
import platform
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import ClassVar

from i2s.render.v1 import render_pb2 as pb
from i2s_chassis.errors import RasterError, StartError
from i2s_chassis.jail import Isolation, Jail, OutputError
from i2s_chassis.renderer.bounds import bounded_log
from i2s_chassis.renderer.crop import finish_in_thread
from i2s_chassis.renderer.generic import GenericEngine, GenericJob, GenericServicer, canary_job
from i2s_chassis.renderer.model import EngineInstallation, RawRendering, RawStage
from i2s_chassis.renderer.pixmap import read_png
from i2s_chassis.renderer.png import has_alpha, png_size
from i2s_chassis.renderer.settings import open_jail
from i2s_chassis.renderer.start_checks import (
    canary_limits,
    canary_required,
    check_canary,
    check_readable_by_jobs,
    check_same_canary,
    listed_files,
    listings_digest,
    versions_digest,
)
from i2s_chassis.renderer.verdict import limit_passed, too_many_pixels
from i2s_chassis.server.service import Chassis, Register
from i2s_chassis.warm.program import WorkerSettings
from i2s_chassis.warm.python_worker import (
    ENVIRONMENT,
    INSIDE,
    PythonWorker,
    WorkerFolder,
    WorkerJobs,
    open_jobs,
    outside_usr,
)
from i2s_chassis.warm.result import ResultError, read_result
from i2s_wire.installation import install_command
from i2s_wire.render.rendering import Verdict
from i2s_wire.renderer import RendererSpec

#: The folder of the service's own files, beside the source: the job, and what the worker printed.
OWN = ".i2s"
JOB, LOG = f"{OWN}/job.json", f"{OWN}/log"


class WorkerEngine(GenericEngine):
    """An engine that is a worker."""

    reserved = (OWN,)
    by_products = 3
    #: What is going on while it works, for messages about limits.
    doing: ClassVar[str] = "drawing the page"

    def __init__(
        self, settings: WorkerSettings, jail: Jail, installation: EngineInstallation, jobs: WorkerJobs
    ) -> None:
        super().__init__(settings, jail, installation)
        self.jobs = jobs

    @property
    def isolation(self) -> Isolation:
        """The isolation that jobs run in."""
        return self.jobs.isolation

    async def draw(self, job: GenericJob) -> RawRendering:
        """Draw a source in a warm interpreter, if one stands ready."""
        return await self._drawn(job, cold=False)

    async def draw_cold(self, job: GenericJob) -> RawRendering:
        """Draw a source in an interpreter of its own."""
        return await self._drawn(job, cold=True)

    async def _drawn(self, job: GenericJob, *, cold: bool) -> RawRendering:
        options, limits = job.options, job.limits
        about = {
            "entry": job.source.entry,
            "dpi": options.dpi,
            "first": options.first_page,
            "count": options.page_count,
            "pages": limits.pages,
            "pixels": limits.pixels,
        }
        content = {**job.source.contents, JOB: json.dumps(about).encode()}
        work = functools.partial(self._rendering, job)
        return await self.jobs.run(content, limits, work, cold=cold)

    async def _rendering(self, job: GenericJob, folder: WorkerFolder) -> RawRendering:
        ran = await folder.run()
        half = job.limits.log_bytes // 2 + 1
        try:
            log = await folder.excerpt(LOG, half, half)
        except OutputError:
            log = None
        stages = [RawStage("draw", ran.usage, folder.kind)]
        finished = functools.partial(RawRendering, log=bounded_log(log, job.limits.log_bytes))
        passed = limit_passed(ran.cause, job.limits, self.doing)
        if passed is not None:
            return finished(passed.verdict, passed.message, stages=tuple(stages), events=ran.events)
        try:
            said, images = read_result(await folder.result())
        except (OutputError, ResultError) as error:
            text = f"The engine ended with exit code {ran.exit_code} before it had drawn the page ({error})."
            return finished(Verdict.CRASHED, text, stages=tuple(stages), events=ran.events)
        finished = functools.partial(
            finished, total_pages=said.total, error=said.error, events=(*ran.events, *said.events)
        )
        if not said.verdict.has_picture:
            return finished(said.verdict, said.message, stages=tuple(stages))
        pictures = []
        wanted = slice(job.options.page_count)
        for number, image in zip(said.pages[wanted], images[wanted], strict=False):
            try:
                alpha = has_alpha(image)
                large = too_many_pixels(png_size(image, alpha=alpha), job.limits)
                if large is not None:
                    return finished(large.verdict, large.message, stages=tuple(stages))
                read = functools.partial(read_png, image, alpha=alpha)
                picture, crop = await finish_in_thread(read, number, job.options)
            except RasterError as error:
                return finished(Verdict.NO_OUTPUT, f"Page {number}: {error}.", stages=tuple(stages))
            stages.append(crop)
            if picture is not None:
                pictures.append(picture)
        if not pictures:
            return finished(Verdict.NO_OUTPUT, "The page is blank.", stages=tuple(stages))
        return finished(said.verdict, said.message, pictures=tuple(pictures), stages=tuple(stages))

    def warm(self) -> Sequence[pb.WarmEngine]:
        """Return what stands ready."""
        zygotes, name = self.jobs.zygotes, self.installation.version
        if zygotes is None:
            return [pb.WarmEngine(kind="single-use", name=name)]
        return [pb.WarmEngine(kind=zygotes.kind, name=name, jobs=zygotes.jobs)]


@dataclass(frozen=True, slots=True)
class WorkerInstallation:
    """The versions and fonts that decide the images of a worker."""

    #: Version of the engine.
    version: str
    #: All that the digest is made of, by name.
    versions: Mapping[str, str]
    #: SHA-256 over everything that can change an image.
    digest: str
    #: SHA-256 over the fonts alone.
    fonts_digest: str


@dataclass(frozen=True, slots=True)
class WorkerPlan:
    """An engine on this machine: its class, its installation, its worker."""

    engine: type[WorkerEngine]
    installation: WorkerInstallation
    worker: PythonWorker


def plan_worker(
    engine: type[WorkerEngine],
    spec: RendererSpec,
    package: str,
    settings: Mapping[str, object],
    fonts: Sequence[Path] = (),
) -> WorkerPlan:
    """Look at this machine for an engine and its worker, the module ``inside.worker`` of the renderer.

    Args:
        engine: Its class.
        spec: The renderer.
        package: The package that it is, which the worker can import. Its distribution has the same name.
        settings: What ``load`` and ``warm_up`` of the worker are given.
        fonts: Files of fonts beside those that the engine itself has.

    Raises:
        StartError: The engine is not installed; says how to install it.
    """
    library, own = importlib.util.find_spec(package), importlib.util.find_spec(spec.module)
    if library is None or library.origin is None or own is None or own.origin is None:
        raise StartError(f"{package} is not installed; install it with: {install_command(spec.package)}")
    folder, inside = Path(library.origin).resolve().parent, Path(own.origin).resolve().parent / "inside"
    fonts_digest = listings_digest(f"{font.name}\0{font.stat().st_size}" for font in fonts)
    versions = {
        "python": platform.python_version(),
        (engine_name := package.replace("_", "-")): version(package),
        "fonts": fonts_digest,
        spec.package: version(spec.package),
        "inside": listings_digest(*(listed_files(path, only=(".py",)) for path in (inside, INSIDE))),
    }
    worker = PythonWorker(
        module=f"{spec.module}.inside.worker",
        folder=inside,
        job_file=JOB,
        log=LOG,
        readable=outside_usr(folder, *fonts),
        settings={"package": str(folder), **settings},
        environment={**ENVIRONMENT, "RAYON_NUM_THREADS": "1"},  # what is written in Rust takes one thread
    )
    installation = WorkerInstallation(
        versions[engine_name], versions, versions_digest(versions), fonts_digest
    )
    return WorkerPlan(engine, installation, worker)


@asynccontextmanager
async def open_worker_engine(
    settings: WorkerSettings, jail: Jail, chassis: Chassis | None = None
) -> AsyncIterator[WorkerEngine]:
    """Give an engine; its processes end with the context.

    Args:
        settings: What an operator decided.
        jail: The sandbox of its jobs.
        chassis: The service that it is part of; None for an engine of one job at a time.

    Raises:
        StartError: Something is missing on this machine, or jobs cannot read it. Or there can be no warm
            interpreter here, and there must be.
        JailError: A fault of the jail.
    """
    plan: WorkerPlan = settings.engine.plan(settings)
    check_readable_by_jobs(plan.worker.all_readable)
    slots, telemetry = (chassis.admission.slots, chassis.telemetry) if chassis else (1, None)
    async with open_jobs(jail, plan.worker, settings, slots=slots, telemetry=telemetry) as jobs:
        yield plan.engine(settings, jail, plan.installation, jobs)


class WorkerService:
    """A worker behind the wire."""

    wire_names = ("i2s.render.v1.RenderService",)

    def __init__(self, spec: RendererSpec, settings: WorkerSettings) -> None:
        """Make a service.

        Args:
            spec: The renderer.
            settings: Its settings.
        """
        self.name, self._spec, self._settings = spec.name, spec, settings

    @asynccontextmanager
    async def open(self, chassis: Chassis) -> AsyncIterator[Register]:
        """Come up, pass the canary cold and warm, give out the servicer; see `server.service.Service`.

        Raises:
            StartError: Something is missing on this machine.
        """
        settings = self._settings
        async with (
            open_jail(settings, chassis) as jail,
            open_worker_engine(settings, jail, chassis) as engine,
        ):
            with canary_required(chassis.telemetry):
                limits = canary_limits(settings.limit_table())
                canary = canary_job(self._spec, engine.options, limits)
                cold = check_canary(await engine.draw_cold(canary))
                check_same_canary(cold, await engine.render(canary))
            yield GenericServicer(self._spec, engine, settings, chassis).registration()
