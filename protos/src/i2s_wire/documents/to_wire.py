"""Responses of the documents service as messages of ``i2s.documents.v1``. Texts must be valid Unicode."""

from __future__ import annotations

from i2s.documents.v1 import documents_pb2 as pb
from i2s.render.v1 import render_pb2
from i2s_wire.documents.conversion import Conversions, Converted
from i2s_wire.documents.description import DocumentsDescription
from i2s_wire.documents.drawing import PageImage, PageImages
from i2s_wire.render import to_wire


def conversions(answer: Conversions, request_id: str = "") -> pb.ConvertResponse:
    """Return the response to a request for conversions.

    Args:
        answer: What became of the fragments.
        request_id: The id of the request that this answers.

    Raises:
        ValueError: A text holds a lone surrogate.
    """
    return pb.ConvertResponse(
        id=request_id,
        conversions=[_conversion(one) for one in answer.converted],
        usage=to_wire.usage(answer.usage),
        limits=to_wire.limits(answer.limits),
        isolation=to_wire.isolation(answer.isolation),
        engine=to_wire.engine(answer.engine),
        policy_events=[to_wire.policy_event(one) for one in answer.policy_events],
    )


def page_images(answer: PageImages, request_id: str = "") -> pb.DrawPagesResponse:
    """Return the response to a request for pages.

    Args:
        answer: What became of the document.
        request_id: The id of the request that this answers.

    Raises:
        ValueError: A text holds a lone surrogate.
    """
    return pb.DrawPagesResponse(
        id=request_id,
        verdict=render_pb2.Verdict.ValueType(answer.verdict),
        message=answer.message,
        pages=[_page(one) for one in answer.pages],
        total_pages=answer.total_pages,
        defect=pb.DocumentDefect.ValueType(answer.defect or pb.DOCUMENT_DEFECT_UNSPECIFIED),
        stages=[to_wire.stage(one) for one in answer.stages],
        usage=to_wire.usage(answer.usage),
        limits=to_wire.limits(answer.limits),
        isolation=to_wire.isolation(answer.isolation),
        engine=to_wire.engine(answer.engine),
        policy_events=[to_wire.policy_event(one) for one in answer.policy_events],
    )


def description(about: DocumentsDescription) -> pb.DescribeResponse:
    """Return what the service says of itself."""
    return pb.DescribeResponse(
        service=about.service,
        version=about.version,
        engines=[to_wire.engine(one) for one in about.engines],
        versions=about.versions,
        fonts_digest=about.fonts_digest,
        isolation=to_wire.isolation(about.isolation),
        default_limits=to_wire.limits(about.default_limits),
        max_limits=to_wire.limits(about.max_limits),
        max_request_bytes=about.max_request_bytes,
        max_fragments=about.max_fragments,
        max_fragment_bytes=about.max_fragment_bytes,
        max_pages_drawn=about.max_pages_drawn,
        slots=about.slots,
        queue=about.queue,
    )


def _conversion(one: Converted) -> pb.Conversion:
    if one.html is not None:
        return pb.Conversion(id=one.id, html=one.html)
    verdict = render_pb2.Verdict.ValueType(one.verdict or render_pb2.VERDICT_UNSPECIFIED)
    return pb.Conversion(id=one.id, failure=pb.ConversionFailure(verdict=verdict, message=one.reason))


def _page(one: PageImage) -> pb.PageImage:
    return pb.PageImage(image=one.image, width=one.width, height=one.height, page=one.page, sha256=one.sha256)
