"""Translates between the wire and the words of this renderer."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace

from i2s.render.v1 import render_pb2 as pb
from i2s_chassis.errors import InvalidArgumentError
from i2s_chassis.renderer.wire import chosen, page_from_wire, refuse_foreign
from i2s_render_lilypond.model import Options
from i2s_wire.render.options import LilypondBackend, LilypondOptions
from i2s_wire.render.request_to_wire import lilypond_options, page_options

_VERSION = re.compile(r"\d{1,4}\.\d{1,4}(\.\d{1,4})?")


def options_from_wire(message: pb.RenderOptions) -> Options:
    """Return what a request asks for, defaults elsewhere.

    Raises:
        InvalidArgumentError: A value has no meaning; names the field.
    """
    default, lilypond = Options(), message.lilypond
    refuse_foreign(message, ("page", "lilypond"), "LilyPond")
    options = replace(
        page_from_wire(message.page, default),
        convert=chosen(lilypond.convert, default.convert, "options.lilypond.convert"),
        no_footers=lilypond.no_footers if lilypond.HasField("no_footers") else default.no_footers,
        backend=chosen(lilypond.backend, default.backend, "options.lilypond.backend"),
    )
    if options.backend is LilypondBackend.CAIRO and not options.dpi.is_integer():
        raise InvalidArgumentError("options.page.dpi", "is no whole number, which the back end cairo needs")
    return options


def refuse_missing(backend: LilypondBackend, backends: Collection[LilypondBackend]) -> None:
    """Refuse a back end that is not installed.

    Raises:
        InvalidArgumentError: It is not; names the field.
    """
    if backend not in backends:
        raise InvalidArgumentError(
            "options.lilypond.backend",
            f"the LilyPond of this service was built without {backend.name.lower()}",
        )


def version_from_wire(version: str) -> str:
    """Return the version to convert from, empty for none.

    Raises:
        InvalidArgumentError: It is no version.
    """
    if version and _VERSION.fullmatch(version) is None:
        raise InvalidArgumentError("lilypond.assume_version", "is no version such as 2.18.0")
    return version


def options_to_wire(options: Options) -> pb.RenderOptions:
    """Return options as the wire has them."""
    lilypond = LilypondOptions(options.convert, options.no_footers, options.backend)
    return pb.RenderOptions(page=page_options(options), lilypond=lilypond_options(lilypond))
