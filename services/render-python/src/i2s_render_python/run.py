"""Makes images of a program in its folder: run it, read what it left, finish its images."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from i2s_chassis.errors import RasterError
from i2s_chassis.jail import Cause, Excerpt, OutputError, PolicyEvent
from i2s_chassis.renderer.bounds import bounded_log
from i2s_chassis.renderer.crop import finish_in_thread
from i2s_chassis.renderer.model import NO_LOG, RawStage
from i2s_chassis.renderer.pixmap import read_png
from i2s_chassis.renderer.png import png_size
from i2s_chassis.renderer.verdict import Judgement, limit_passed, too_many_pixels
from i2s_chassis.warm.python_worker import WorkerFolder
from i2s_chassis.warm.result import ResultError
from i2s_render_python import files
from i2s_render_python.model import DrawnProgram, PythonJob
from i2s_render_python.result import (
    Delivery,
    DrawnFigure,
    FigureError,
    Result,
    read_delivery,
    read_figure,
)
from i2s_render_python.source_error import source_error
from i2s_render_python.verdict import of_result, with_pictures, without_pictures
from i2s_wire.render.figure import Figure
from i2s_wire.render.rendering import Picture, Verdict
from i2s_wire.render.source_error import SourceError


@dataclass(slots=True)
class _Run:
    """The state of a run so far."""

    pictures: list[Picture] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    stages: list[RawStage] = field(default_factory=list)
    events: tuple[PolicyEvent, ...] = ()
    log: Excerpt = NO_LOG
    result: Result | None = None
    error: SourceError | None = None


async def run_program(
    folder: WorkerFolder, job: PythonJob, token: str, max_objects_bytes: int, libraries: Sequence[str]
) -> DrawnProgram:
    """Run a program and return what came of it.

    Args:
        folder: The folder that holds the program.
        job: The job.
        token: What the result of the job has to begin with.
        max_objects_bytes: Greatest description of the objects of a figure.
        libraries: What programs may import, for messages.

    Raises:
        RendererError: The fault of an engine.
        JailError: A fault of the jail.
    """
    run = _Run()
    judgement = await _judged(run, folder, job, token, max_objects_bytes, libraries)
    shown = judgement.verdict.has_picture
    return DrawnProgram(
        verdict=judgement.verdict,
        message=judgement.message,
        pictures=tuple(run.pictures) if shown else (),
        total_pages=run.result.total if run.result is not None else 0,
        error=run.error,
        log=bounded_log(run.log, job.limits.log_bytes),
        stages=tuple(run.stages),
        events=run.events,
        figures=tuple(run.figures) if shown else (),
    )


async def _judged(
    run: _Run,
    folder: WorkerFolder,
    job: PythonJob,
    token: str,
    max_objects_bytes: int,
    libraries: Sequence[str],
) -> Judgement:
    ran = await folder.run()
    run.stages.append(RawStage("run", ran.usage, folder.kind))
    run.events = ran.events
    passed = limit_passed(ran.cause, job.limits, "the program ran", program="The interpreter")
    if passed is not None and ran.cause is not Cause.SIGNALED:
        return passed
    half = job.limits.log_bytes // 2 + 1
    try:
        run.log = await folder.excerpt(files.LOG, half, half)
    except OutputError:
        run.log = NO_LOG
    if passed is not None:
        return passed
    try:
        delivery = await asyncio.to_thread(read_delivery, await folder.result(), token)
    except (OutputError, ResultError) as error:
        ended = f"with exit code {ran.exit_code}, " if ran.exit_code else ""
        return Judgement(
            Verdict.NO_OUTPUT,
            f"The interpreter ended {ended}before it had drawn the figures of the program ({error}).",
        )
    run.result = result = delivery.result
    if result.error is not None:
        run.error = source_error(result.error, libraries)
    stopped = run.error
    first = job.options.first_page
    objection = of_result(result, stopped, first, job.limits)
    if objection is not None:
        return objection
    for figure in result.figures[: job.options.page_count]:
        objection = await _finish(run, delivery, job, figure, max_objects_bytes)
        if objection is not None:
            return objection
    if run.pictures:
        return with_pictures(stopped)
    if stopped is not None:
        return without_pictures(result, stopped, first)
    return Judgement(Verdict.NO_OUTPUT, "The picture is blank.")


async def _finish(
    run: _Run, delivery: Delivery, job: PythonJob, figure: DrawnFigure, max_objects_bytes: int
) -> Judgement | None:
    """Add one image, with its objects; a blank image adds none."""
    try:
        drawing = delivery.figure(figure.page)
        objection = too_many_pixels(png_size(drawing), job.limits)
        if objection is not None:
            return objection
        read = functools.partial(read_png, drawing)
        image, stage = await finish_in_thread(read, figure.page, job.options.finishing)
    except RasterError as error:  # the program has a hand in what is there
        return Judgement(Verdict.NO_OUTPUT, f"Figure {figure.page} cannot be read: {error}.")
    run.stages.append(stage)
    if image is None:
        return None
    run.pictures.append(image)
    if job.options.want_objects:
        run.figures.append(await asyncio.to_thread(_objects, delivery, figure, max_objects_bytes))
    return None


def _objects(delivery: Delivery, figure: DrawnFigure, max_bytes: int) -> Figure:
    """Return the objects of a figure; none of an image of Pillow, or if the program has damaged them."""
    nothing = Figure(page=figure.page)
    if not figure.objects:
        return nothing
    content = delivery.objects(figure.page)
    try:
        return replace(read_figure(content, max_bytes), page=figure.page)
    except FigureError:
        return replace(nothing, truncated=True)
