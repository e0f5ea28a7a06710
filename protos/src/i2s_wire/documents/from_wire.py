"""Responses of the documents service, read from messages of ``i2s.documents.v1``."""

from __future__ import annotations

from i2s.documents.v1 import documents_pb2 as pb
from i2s_wire.documents.conversion import Conversions, Converted
from i2s_wire.documents.description import DocumentsDescription
from i2s_wire.documents.drawing import DocumentDefect, PageImage, PageImages
from i2s_wire.errors import ContractError, member
from i2s_wire.render import from_wire
from i2s_wire.render.rendering import Verdict


def conversions(answer: pb.ConvertResponse) -> Conversions:
    """Return what became of fragments.

    Raises:
        ContractError: The message holds something that the contract does not allow.
    """
    return Conversions(
        converted=tuple(map(_conversion, answer.conversions)),
        usage=from_wire.usage(answer.usage),
        limits=from_wire.limits(answer.limits),
        isolation=from_wire.isolation(answer.isolation),
        engine=from_wire.engine(answer.engine),
        policy_events=tuple(map(from_wire.policy_event, answer.policy_events)),
    )


def page_images(answer: pb.DrawPagesResponse) -> PageImages:
    """Return what became of pages.

    Raises:
        ContractError: The message holds something that the contract does not allow.
    """
    return PageImages(
        verdict=member(Verdict, answer.verdict, "verdict"),
        message=answer.message,
        pages=tuple(
            PageImage(one.image, one.width, one.height, one.page, one.sha256) for one in answer.pages
        ),
        total_pages=answer.total_pages,
        defect=member(DocumentDefect, answer.defect, "defect") if answer.defect else None,
        stages=tuple(map(from_wire.stage, answer.stages)),
        usage=from_wire.usage(answer.usage),
        limits=from_wire.limits(answer.limits),
        isolation=from_wire.isolation(answer.isolation),
        engine=from_wire.engine(answer.engine),
        policy_events=tuple(map(from_wire.policy_event, answer.policy_events)),
    )


def description(answer: pb.DescribeResponse) -> DocumentsDescription:
    """Return what the service says of itself.

    Raises:
        ContractError: The message holds something that the contract does not allow.
    """
    return DocumentsDescription(
        service=answer.service,
        version=answer.version,
        engines=tuple(map(from_wire.engine, answer.engines)),
        versions=dict(sorted(answer.versions.items())),
        fonts_digest=answer.fonts_digest,
        isolation=from_wire.isolation(answer.isolation),
        default_limits=from_wire.limits(answer.default_limits),
        max_limits=from_wire.limits(answer.max_limits),
        max_request_bytes=answer.max_request_bytes,
        max_fragments=answer.max_fragments,
        max_fragment_bytes=answer.max_fragment_bytes,
        max_pages_drawn=answer.max_pages_drawn,
        slots=answer.slots,
        queue=answer.queue,
    )


def _conversion(one: pb.Conversion) -> Converted:
    match one.WhichOneof("outcome"):
        case "html":
            return Converted(one.id, one.html)
        case "failure":
            verdict = member(Verdict, one.failure.verdict, "conversions.failure.verdict")
            return Converted(one.id, None, one.failure.message, verdict)
        case _:
            raise ContractError(f"neither HTML nor a reason for {one.id!r}")
