"""Translates between the wire and the words of this renderer."""

from __future__ import annotations

from collections.abc import Sequence

from i2s.render.v1 import render_pb2 as pb
from i2s_chassis.errors import InvalidArgumentError
from i2s_chassis.renderer.bounds import shown
from i2s_chassis.renderer.wire import page_from_wire, refuse_foreign
from i2s_render_python.inside.restored_names.table import CHANGES
from i2s_render_python.model import Options
from i2s_wire.render.options import PageOptions
from i2s_wire.render.request import File
from i2s_wire.render.request_to_wire import page_options


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
    return pb.RenderOptions(page=page_options(page), python=python)


def files_from_wire(source: pb.PythonSource) -> tuple[File, ...]:
    """Return the files beside a program, unchecked."""
    return tuple(File(file.path, file.content) for file in source.files)
