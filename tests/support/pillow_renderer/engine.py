"""The engine: a program runs in a cell and saves its image as page.png."""

from __future__ import annotations

import hashlib
import platform
import re
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field

import PIL

from i2s_chassis.jail import Jail
from i2s_chassis.renderer.generic import GenericEngine, GenericJob, ProgramEngine
from i2s_wire.render.source_error import SourceError
from pillow_renderer.settings import LIBRARIES, PYTHON, READABLE, PillowSettings

_LINE = re.compile(r'File "[^"/]+", line (\d+)')


@dataclass(frozen=True, slots=True)
class Installation:
    """The versions of Python and Pillow, which decide the pixels; there are no fonts."""

    version: str = PIL.__version__
    versions: Mapping[str, str] = field(default_factory=lambda: {"python": platform.python_version()})
    digest: str = hashlib.sha256(f"{PIL.__version__} {platform.python_version()}".encode()).hexdigest()
    fonts_digest: str = hashlib.sha256().hexdigest()


class PillowEngine(ProgramEngine):
    """Runs programs."""

    name = "pillow"
    readable = READABLE

    def command(self, job: GenericJob) -> Sequence[str]:
        """Return the words that run the program with Pillow, and nothing else of this environment."""
        start = (
            f"import sys, runpy; sys.path.append({str(LIBRARIES)!r}); runpy.run_path({job.source.entry!r})"
        )
        return [str(PYTHON), "-I", "-S", "-B", "-c", start]

    def error(self, output: str) -> SourceError:
        """Return the last line of a traceback."""
        lines, places = output.strip().splitlines(), _LINE.findall(output)
        return SourceError(lines[-1] if lines else "no word", line=int(places[-1]) if places else 0)


def open_engine(settings: PillowSettings, jail: Jail) -> AbstractAsyncContextManager[GenericEngine]:
    """Return the engine; nothing of it has to be closed."""
    return nullcontext(PillowEngine(settings, jail, Installation()))
