"""RenderService over the engine of Python: messages to jobs, results to messages."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from i2s.render.v1 import render_pb2 as pb
from i2s_chassis.errors import InvalidArgumentError
from i2s_chassis.limits import Limits
from i2s_chassis.renderer.bounds import shown
from i2s_chassis.renderer.servicer import Identity, RendererServicer
from i2s_chassis.renderer.wire import files_from_wire, page_from_wire, refuse_foreign
from i2s_chassis.server.service import Chassis
from i2s_render_python.engine import PythonEngine
from i2s_render_python.inside.restored_names.table import CHANGES
from i2s_render_python.model import DrawnProgram, Options, PythonJob
from i2s_render_python.settings import PythonSettings
from i2s_wire.codec import encode
from i2s_wire.render.options import PageOptions
from i2s_wire.render.rendering import Rendering


def options_from_wire(message: pb.RenderOptions) -> Options:
    """Return what a request asks for, defaults elsewhere.

    Raises:
        InvalidArgumentError: A value has no meaning; names the field.
    """
    default, page, python = Options(), message.page, message.python
    refuse_foreign(message, ("page", "python"), "programs")
    resolved = page_from_wire(page, default.finishing)
    return Options(
        dpi=resolved.dpi if page.HasField("dpi") else None,
        first_page=resolved.first_page if page.HasField("first_page") else None,
        page_count=resolved.page_count,
        cut_bottom=resolved.cut_bottom,
        crop=resolved.crop,
        blank_page=resolved.blank_page,
        want_objects=python.want_objects,
        cold=python.cold,
        restored_names=_restored_names(python.restored_names),
    )


def _restored_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return names that are to be put back, each once.

    Raises:
        InvalidArgumentError: One of them cannot be.
    """
    unknown = next((name for name in names if name not in CHANGES), None)
    if unknown is not None:
        raise InvalidArgumentError(
            "options.python.restored_names",
            f'"{shown(unknown)}" cannot be put back; the errors of programs name what can be, as providers',
        )
    return tuple(dict.fromkeys(names))


def options_to_wire(options: Options) -> pb.RenderOptions:
    """Return options as the wire has them."""
    page = PageOptions(
        options.dpi,
        options.first_page,
        options.page_count,
        options.cut_bottom,
        options.crop,
        options.blank_page,
    )
    python = pb.PythonOptions(
        want_objects=options.want_objects, cold=options.cold, restored_names=options.restored_names
    )
    return pb.RenderOptions(page=encode(page, pb.PageOptions, PageOptions), python=python)


class PythonServicer(RendererServicer[PythonJob, DrawnProgram]):
    """Answers render requests."""

    _engine: PythonEngine

    def __init__(self, engine: PythonEngine, settings: PythonSettings, chassis: Chassis) -> None:
        options = options_to_wire(Options())
        identity = Identity("i2s-render-python", "python", "cpython", options, settings.beside_files)
        super().__init__(identity, engine, settings, chassis)

    def job(self, request: pb.RenderRequest, limits: Limits) -> PythonJob:  # noqa: D102 - see RendererServicer
        source = request.python
        return PythonJob(
            source.program, files_from_wire(source.files), options_from_wire(request.options), limits
        )

    def source_sha256(self, job: PythonJob) -> str:  # noqa: D102
        return hashlib.sha256(job.program).hexdigest()

    def complete(self, answer: Rendering, raw: DrawnProgram) -> Rendering:  # noqa: D102
        return replace(answer, figures=raw.figures)

    def warm(self) -> list[pb.WarmEngine]:  # noqa: D102
        zygotes, version = self._engine.zygotes, self._engine.installation.version
        if zygotes is None:
            return [pb.WarmEngine(kind="single-use", name=version, jobs=self._jobs)]
        return [pb.WarmEngine(kind=zygotes.kind, name=version, jobs=zygotes.jobs)]
