"""The engine: a program runs in a cell and saves its image as page.png."""

from __future__ import annotations

import functools
import hashlib
import platform
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

import PIL

from i2s_chassis.errors import RasterError
from i2s_chassis.jail import Cell, Ended, Jail, OutputError
from i2s_chassis.limits import Limits
from i2s_chassis.renderer.bounds import bounded_log, disk_complaint, text_complaint
from i2s_chassis.renderer.crop import finish_in_thread
from i2s_chassis.renderer.model import RawRendering, RawStage, ResolvedPageOptions
from i2s_chassis.renderer.pixmap import read_png
from i2s_chassis.renderer.png import png_size
from i2s_chassis.renderer.start_checks import check_canary
from i2s_chassis.renderer.verdict import limit_passed, too_many_pixels
from i2s_wire.render.rendering import Verdict
from i2s_wire.render.source_error import SourceError
from pillow_renderer.settings import LIBRARIES, PYTHON, READABLE

FIELD = "python.program"
OPTIONS = ResolvedPageOptions(dpi=100.0)
_PROGRAM, _DRAWING = "program.py", "page.png"
_START = f"import sys, runpy; sys.path.append({str(LIBRARIES)!r}); runpy.run_path({_PROGRAM!r})"
_MAX_BYTES = 1024 * 1024
_LINE = re.compile(rf'File "{re.escape(_PROGRAM)}", line (\d+)')
_CANARY = b"from PIL import Image\nImage.new('RGB', (3, 2), 'teal').save('page.png')\n"


@dataclass(frozen=True, slots=True)
class Job:
    """One program to run."""

    program: bytes
    options: ResolvedPageOptions
    limits: Limits


@dataclass(frozen=True, slots=True)
class Installation:
    """The versions of Python and Pillow, which decide the pixels; there are no fonts."""

    version: str = PIL.__version__
    versions: Mapping[str, str] = field(default_factory=lambda: {"python": platform.python_version()})
    digest: str = hashlib.sha256(f"{PIL.__version__} {platform.python_version()}".encode()).hexdigest()
    fonts_digest: str = hashlib.sha256().hexdigest()


class PillowEngine:
    """Renders programs."""

    def __init__(self, jail: Jail) -> None:
        self._jail = jail
        self.installation, self.isolation = Installation(), jail.isolation

    async def canary(self, limits: Limits) -> None:
        """Render a small program.

        Args:
            limits: Limits of the rendering.

        Raises:
            EngineError: It has no image; says why.
        """
        check_canary(await self.render(Job(_CANARY, OPTIONS, limits)))

    async def render(self, job: Job) -> RawRendering:
        """Render a program.

        Raises:
            JailError: A fault of the jail.
        """
        wrong = text_complaint(job.program, FIELD, _MAX_BYTES)
        if wrong is not None:
            return RawRendering(Verdict.INVALID_INPUT, wrong)
        full = disk_complaint([job.program], job.limits, by_products=1)
        if full is not None:
            return RawRendering(Verdict.OUTPUT_LIMIT, full)
        async with self._jail.cell(job.limits, {_PROGRAM: job.program}, readable=READABLE) as cell:
            ended = await cell.run([str(PYTHON), "-I", "-S", "-B", "-c", _START])
            return await _rendering(cell, ended, job)


async def _rendering(cell: Cell, ended: Ended, job: Job) -> RawRendering:
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
        error = _error(ended.output.whole.decode(errors="replace"))
        return finished(Verdict.COMPILE_ERROR, f"The program failed: {error.message}", error=error)
    try:
        drawing = await cell.fetch(_DRAWING)
        large = too_many_pixels(png_size(drawing), job.limits)
        if large is not None:
            return finished(large.verdict, large.message)
        picture, crop = await finish_in_thread(functools.partial(read_png, drawing), 1, job.options)
    except (OutputError, RasterError) as error:
        return finished(Verdict.NO_OUTPUT, f"The program has left no {_DRAWING}: {error}")
    if picture is None:
        return finished(Verdict.NO_OUTPUT, "The page is blank.", total_pages=1)
    return finished(Verdict.RENDERED, "", pictures=(picture,), total_pages=1, stages=(run, crop))


def _error(output: str) -> SourceError:
    lines, places = output.strip().splitlines(), _LINE.findall(output)
    return SourceError(lines[-1] if lines else "no word", line=int(places[-1]) if places else 0)
