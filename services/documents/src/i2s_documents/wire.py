"""Jobs of this service, read from messages."""

from __future__ import annotations

import math

from i2s.documents.v1 import documents_pb2 as pb
from i2s_chassis.errors import InvalidArgumentError
from i2s_chassis.limits import Limits
from i2s_chassis.renderer.wire import check_id, chosen, whole_number
from i2s_documents.model import ConvertJob, DrawJob, RawFragment
from i2s_wire.documents.conversion import FragmentFormat
from i2s_wire.documents.drawing import ImageFormat, PageDrawing

_DEFAULT = PageDrawing()
_MAX_DPI = 2400.0
_MAX_PAGE = 2**31
_MAX_QUALITY = 100


def convert_job(request: pb.ConvertRequest, limits: Limits, max_fragments: int) -> ConvertJob:
    """Return the fragments that a request asks to convert.

    Raises:
        InvalidArgumentError: There are too many, or a value has no meaning; names the field.
    """
    number = len(request.fragments)
    if number > max_fragments:
        raise InvalidArgumentError("fragments", f"has {number} of them, at most {max_fragments} are taken")
    return ConvertJob(tuple(_fragment(one, at) for at, one in enumerate(request.fragments)), limits)


def _fragment(fragment: pb.Fragment, at: int) -> RawFragment:
    check_id(fragment.id, f"fragments[{at}].id")
    try:
        source = FragmentFormat(fragment.format)
    except ValueError:
        reason = f"{fragment.format} is neither Markdown nor LaTeX"
        raise InvalidArgumentError(f"fragments[{at}].format", reason) from None
    return RawFragment(fragment.id, source, fragment.text)


def draw_job(request: pb.DrawPagesRequest, limits: Limits) -> DrawJob:
    """Return the pages that a request asks to draw.

    Raises:
        InvalidArgumentError: A value has no meaning; names the field.
    """
    dpi = request.dpi if request.HasField("dpi") else _DEFAULT.dpi
    if not (math.isfinite(dpi) and 0 < dpi <= _MAX_DPI):
        raise InvalidArgumentError("dpi", f"{dpi} is not above 0 and at most {_MAX_DPI:g}")
    drawing = PageDrawing(
        dpi=dpi,
        format=ImageFormat(chosen(request.format, _DEFAULT.format, "format")),
        quality=whole_number(request, "jpeg_quality", "", _DEFAULT.quality, _MAX_QUALITY),
    )
    first = whole_number(request, "first_page", "", 1, _MAX_PAGE)
    count = whole_number(request, "page_count", "", 1, _MAX_PAGE) if request.HasField("page_count") else None
    return DrawJob(request.pdf, drawing, first, count, limits)
