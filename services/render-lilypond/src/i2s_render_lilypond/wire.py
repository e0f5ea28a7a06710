"""Between the wire and the words of this renderer."""

from __future__ import annotations

import re
from dataclasses import replace

from i2s.render.v1 import render_pb2 as pb
from i2s_chassis.errors import InvalidArgumentError
from i2s_chassis.renderer.options import chosen, page_from_wire, refuse_foreign
from i2s_render_lilypond.model import Options
from i2s_wire.render.options import LilypondOptions
from i2s_wire.render.request_to_wire import lilypond_options, page_options

_VERSION = re.compile(r"\d{1,4}\.\d{1,4}(\.\d{1,4})?")


def options_from_wire(message: pb.RenderOptions) -> Options:
    """Return what a request asks for, defaults elsewhere.

    Raises:
        InvalidArgumentError: A value has no meaning; names the field.
    """
    default, lilypond = Options(), message.lilypond
    refuse_foreign(message, ("page", "lilypond"), "LilyPond")
    return replace(
        page_from_wire(message.page, default),
        convert=chosen(lilypond.convert, default.convert, "options.lilypond.convert"),
        no_footers=lilypond.no_footers if lilypond.HasField("no_footers") else default.no_footers,
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
    lilypond = LilypondOptions(options.convert, options.no_footers)
    return pb.RenderOptions(page=page_options(options), lilypond=lilypond_options(lilypond))
