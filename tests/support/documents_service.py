"""The documents service as the helpers of the contract start, fill and drain it; PDF documents."""

from __future__ import annotations

import contextlib
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from i2s.documents.v1 import documents_pb2 as pb
from i2s.documents.v1.documents_pb2_grpc import DocumentsServiceStub
from i2s_chassis.contract import HANG_SECONDS, Running, serving

LATEX, MARKDOWN = pb.FRAGMENT_FORMAT_LATEX, pb.FRAGMENT_FORMAT_MARKDOWN
#: Nested brackets take pandoc time that grows with two to the power of their number.
ENDLESS = "[" * 40 + "x" + "]" * 40
GOOD = "| a | b |\n|---|---|\n| c | d |\n"


def fragment(text, source=MARKDOWN, name="one"):
    """Return a fragment of a request."""
    return pb.Fragment(id=name, format=source, text=text if isinstance(text, bytes) else text.encode())


@dataclass(frozen=True)
class Documents:
    """What the helpers of the contract ask of a service."""

    module: str = "i2s_documents"
    environment: Mapping[str, str] = field(default_factory=dict)
    endless: str = ENDLESS
    arguments: Callable[[Path], Sequence[str]] = field(
        default=lambda folder: ["--jail-uid-base", "63900", "--request-seconds", "300"]
    )

    def request(self, source=GOOD, **given):
        """Return a request for one fragment of Markdown."""
        return pb.ConvertRequest(fragments=[fragment(source)], **given)


class RunningDocuments(Running):
    """A documents service that serves, and its client."""

    stub: DocumentsServiceStub
    stub_of = DocumentsServiceStub

    def send(self, request, timeout=HANG_SECONDS):
        """Send a request of either kind; returns the call."""
        draws = isinstance(request, pb.DrawPagesRequest)
        return (self.stub.DrawPages if draws else self.stub.Convert)(request, timeout=timeout)

    @staticmethod
    def verdict(answer):
        """Return the verdict about the first fragment."""
        return answer.conversions[0].failure.verdict

    async def convert(self, *fragments, **given):
        """Return what became of fragments."""
        return await self.send(pb.ConvertRequest(fragments=fragments, **given))

    async def html(self, text=GOOD, source=MARKDOWN):
        """Return the HTML of one fragment."""
        (one,) = (await self.convert(fragment(text, source))).conversions
        assert one.HasField("html"), one
        return one.html

    async def draw(self, pdf, **given):
        """Return what became of pages."""
        return await self.send(pb.DrawPagesRequest(pdf=pdf, **given))


@contextlib.asynccontextmanager
async def documents_service(service: Documents | None = None):
    """Start the service; it is drained at the end while it is full."""
    async with serving(service or Documents(), RunningDocuments) as running:
        yield running


def pdf(
    pages: Sequence[bytes] = (b"0 0 0 rg 10 10 20 20 re f",),
    box: str = "0 0 72 36",
    *,
    catalog: str = "",
    more: Sequence[bytes] = (),
    compressed: bool = False,
    trailer: str = "",
    page: Mapping[int, str] | None = None,
) -> bytes:
    """Return a PDF document.

    Args:
        pages: Content of each page.
        box: Box of all pages, in points.
        catalog: More entries of the catalog.
        more: Objects after those of the pages; the first has the number 3 + 2 * pages.
        compressed: Whether contents are compressed.
        trailer: More entries of the trailer.
        page: More entries of pages, by index.
    """
    kids = " ".join(f"{3 + 2 * at} 0 R" for at in range(len(pages)))
    objects = [
        f"<< /Type /Catalog /Pages 2 0 R {catalog} >>".encode(),
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
    ]
    for at, content in enumerate(pages):
        extra = (page or {}).get(at, "")
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [{box}] /Contents {4 + 2 * at} 0 R {extra} >>".encode()
        )
        objects.append(
            stream(zlib.compress(content), "/Filter /FlateDecode") if compressed else stream(content)
        )
    return document([*objects, *more], trailer)


def stream(content: bytes, entries: str = "") -> bytes:
    """Return a stream object."""
    return f"<< /Length {len(content)} {entries} >>\nstream\n".encode() + content + b"\nendstream"


def document(objects: Sequence[bytes], trailer: str = "") -> bytes:
    """Return a PDF document of objects, numbered from 1; the first is its catalog."""
    body, places = b"%PDF-1.7\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R {trailer} >>\nstartxref\n{len(body)}\n%%EOF\n"
    return body + b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + table + end.encode()
