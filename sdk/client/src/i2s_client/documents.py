"""The client of the documents service."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from i2s.documents.v1 import documents_pb2 as pb
from i2s.documents.v1.documents_pb2_grpc import DocumentsServiceStub
from i2s_client.blocking import BlockingClient, blocking
from i2s_client.connection import AsyncConnection, read_answer
from i2s_client.errors import ProtocolError
from i2s_client.service_table import DOCUMENTS_WIRE_NAME
from i2s_wire.documents.conversion import ConversionFailure, Conversions, Converted, Fragment
from i2s_wire.documents.description import DocumentsDescription
from i2s_wire.documents.drawing import DrawnPages, DrawPagesRequest, PageDrawing, PageImages
from i2s_wire.documents.messages import convert_request, draw_pages_request
from i2s_wire.render.rendering import Verdict
from i2s_wire.render.resources import Limits

#: The most fragments and bytes of text that are sent in one request; the service takes more by default.
MAX_FRAGMENTS, MAX_TEXT_BYTES = 64, 8 * 1024 * 1024

#: The most pages that are asked for in one request. The service may return fewer.
MAX_PAGES = 16


class AsyncDocumentsClient(AsyncConnection):
    r"""The documents service, for coroutines.

    >>> async with AsyncDocumentsClient("127.0.0.1:7760") as documents:  # doctest: +SKIP
    ...     (table,) = await documents.convert([Fragment("1", FragmentFormat.MARKDOWN, "|a|\n|-|\n|b|")])

    Args:
        address: "host:port".
        deadline: Seconds for one attempt of a call.
        retry: Failures that are tried again, and for how long.
        credentials: Credentials of gRPC; None speaks without TLS.
        token: Names us to a service that asks for one; needs TLS if the address is not loopback.
    """

    wire_name = DOCUMENTS_WIRE_NAME

    async def convert(
        self,
        fragments: Sequence[Fragment],
        *,
        limits: Limits | None = None,
        request_id: str = "",
        deadline: float | None = None,
    ) -> tuple[Converted, ...]:
        """Convert fragments of Markdown or LaTeX to HTML, in as many calls as are needed.

        A fragment of more than MAX_TEXT_BYTES bytes is not sent: its verdict is INVALID_INPUT.

        Args:
            fragments: Any number, which may be none.
            limits: Wanted, of each fragment; the service clamps them. None takes its defaults.
            request_id: Stands in the logs of the service.
            deadline: Seconds for one attempt of a call; None takes that of the client.

        Returns:
            What became of each fragment, in their order.

        Raises:
            RequestRefusedError: A limit or an id is wrong.
            ServiceError: There was no answer, after the attempts that the policy allows.
            ProtocolError: The answer is outside the contract.
        """
        converted: list[Converted] = []
        for batch in _batches(fragments):
            left = batch
            if len(batch) == 1 and _size(batch[0]) > MAX_TEXT_BYTES:
                converted.append(_too_large(batch[0]))
                continue
            while left:
                done = await self._convert(left, limits, request_id, deadline)
                converted += done
                left = left[len(done) :]
        return tuple(converted)

    async def draw_pages(
        self,
        pdf: bytes,
        drawing: PageDrawing | None = None,
        first: int = 1,
        count: int | None = None,
        *,
        limits: Limits | None = None,
        request_id: str = "",
        deadline: float | None = None,
    ) -> DrawnPages:
        """Draw pages of a PDF document, in as many calls as are needed.

        Args:
            pdf: The document.
            drawing: Resolution and format of the images; None takes 216 dpi, JPEG, quality 95.
            first: The first page, counted from 1.
            count: How many pages; None means all to the end. Pages beyond the end are left out.
            limits: Wanted, of each page; the service clamps them. None takes its defaults.
            request_id: Stands in the logs of the service.
            deadline: Seconds for one attempt of a call; None takes that of the client.

        Returns:
            The images, or the verdict about the document or about the first page that cannot be drawn.

        Raises:
            RequestRefusedError: An option has no meaning.
            ServiceError: There was no answer, after the attempts that the policy allows.
            ProtocolError: The answer is outside the contract.
        """
        images: list[bytes] = []
        wanted = None if count is None else first + count - 1
        drawing = drawing or PageDrawing()
        page = first
        while True:
            number = MAX_PAGES if wanted is None else min(MAX_PAGES, wanted - page + 1)
            request = DrawPagesRequest(pdf, drawing, page, number, limits, request_id)
            answer = await self._draw(request, deadline)
            if answer.verdict is not Verdict.RENDERED:
                return DrawnPages((), answer.total_pages, answer.verdict, answer.message, answer.defect)
            images += [page_image.image for page_image in answer.pages]
            page += len(answer.pages)
            last = answer.total_pages if wanted is None else min(wanted, answer.total_pages)
            if page > last:
                return DrawnPages(tuple(images), answer.total_pages)

    async def describe(self, deadline: float | None = None) -> DocumentsDescription:
        """Return what the service says of itself.

        Raises:
            ServiceError: There was no answer.
            ProtocolError: The answer is outside the contract.
        """
        stub = DocumentsServiceStub(self.channel)
        answer = await self.call(stub.Describe, "Describe", pb.DescribeRequest(), deadline)
        return read_answer(DocumentsDescription, answer)

    async def _convert(
        self, fragments: Sequence[Fragment], limits: Limits | None, request_id: str, deadline: float | None
    ) -> tuple[Converted, ...]:
        """Return what became of the first of some fragments, of one at least."""
        stub = DocumentsServiceStub(self.channel)
        message = convert_request(fragments, limits, request_id)
        answer = await self.call(stub.Convert, "Convert", message, deadline)
        converted = read_answer(Conversions, answer).converted
        ids = [one.id for one in converted]
        if not ids or ids != [fragment.id for fragment in fragments[: len(ids)]]:
            raise ProtocolError("the documents service did not convert the fragments that it was sent first")
        return converted

    async def _draw(self, request: DrawPagesRequest, deadline: float | None) -> PageImages:
        stub = DocumentsServiceStub(self.channel)
        answer = await self.call(stub.DrawPages, "DrawPages", draw_pages_request(request), deadline)
        drawn = read_answer(PageImages, answer)
        numbers = [page.page for page in drawn.pages]
        first = request.first
        expected = list(range(first, first + max(1, len(numbers))))
        if drawn.verdict is Verdict.RENDERED and numbers != expected:
            raise ProtocolError(f"the documents service was asked for page {first} on and drew {numbers}")
        return drawn


class DocumentsClient(BlockingClient[AsyncDocumentsClient]):
    """The documents service, for plain code; safe to share between threads."""

    asynchronous = AsyncDocumentsClient

    convert = blocking(AsyncDocumentsClient.convert)
    draw_pages = blocking(AsyncDocumentsClient.draw_pages)
    describe = blocking(AsyncDocumentsClient.describe)


def _size(fragment: Fragment) -> int:
    return len(fragment.text.encode("utf-8", "surrogatepass"))


def _batches(fragments: Sequence[Fragment]) -> Iterator[Sequence[Fragment]]:
    """Return fragments in groups that fit into a request, one too large for any in a group of its own."""
    batch: list[Fragment] = []
    size = 0
    for fragment in fragments:
        added = _size(fragment)
        if batch and (len(batch) == MAX_FRAGMENTS or size + added > MAX_TEXT_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(fragment)
        size += added
    if batch:
        yield batch


def _too_large(fragment: Fragment) -> Converted:
    reason = f"The fragment has {_size(fragment)} bytes, more than the {MAX_TEXT_BYTES} that are sent."
    return Converted(fragment.id, failure=ConversionFailure(Verdict.INVALID_INPUT, reason))
