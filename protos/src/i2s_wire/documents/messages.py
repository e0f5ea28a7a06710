"""Requests to the documents service as messages."""

from __future__ import annotations

from collections.abc import Iterable

from i2s.documents.v1 import documents_pb2 as pb
from i2s.render.v1 import render_pb2
from i2s_wire.codec import encode
from i2s_wire.documents.conversion import Fragment
from i2s_wire.documents.drawing import DrawPagesRequest
from i2s_wire.render.resources import Limits


def convert_request(
    fragments: Iterable[Fragment], limits: Limits | None = None, request_id: str = ""
) -> pb.ConvertRequest:
    """Return the request to convert fragments.

    Args:
        fragments: A lone surrogate in a text is sent as the three bytes that UTF-8 would have for it, which
            the service refuses as not being UTF-8.
        limits: Wanted, of each fragment.
        request_id: Stands in the logs of the service.
    """
    return pb.ConvertRequest(
        id=request_id,
        fragments=[encode(fragment, pb.Fragment) for fragment in fragments],
        limits=encode(limits, render_pb2.Limits) if limits is not None else None,
    )


def draw_pages_request(request: DrawPagesRequest) -> pb.DrawPagesRequest:
    """Return the request to draw pages."""
    return encode(
        request.drawing,
        pb.DrawPagesRequest,
        id=request.id,
        pdf=request.pdf,
        first_page=request.first,
        page_count=request.count,
        limits=encode(request.limits, render_pb2.Limits) if request.limits is not None else None,
    )
