"""PDF documents of music that a person brings: their pages drawn, classified and cut into systems."""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from i2s_client.documents import AsyncDocumentsClient
from i2s_collect.candidates import Dropped, Reason
from i2s_collect.pictures.music import music_fault, probability
from i2s_collect.pictures.systems import cut_systems
from i2s_sdk.instances.images import ImageFaultError, decode_image
from i2s_wire.documents.drawing import DrawnPages, ImageFormat, PageDrawing
from i2s_wire.render.rendering import Verdict

if TYPE_CHECKING:
    from PIL import Image

#: Dots an inch at which pages are drawn.
RESOLUTION = 200

#: Pages that are asked for at once, and the most pages of a document that are looked at.
PAGES_AT_ONCE, MOST_PAGES = 8, 400

#: Bytes of a request besides the document, at most.
REQUEST_MARGIN = 65_536


@dataclass(frozen=True, slots=True)
class System:
    """A system of a page. It has no ground truth.

    Attributes:
        page: Number of the page, from 1.
        number: Number of the system on its page, from 1.
        picture: Picture in RGB.
        probability: Probability that the page is sheet music.
    """

    page: int
    number: int
    picture: Image.Image
    probability: float

    def png(self) -> bytes:
        """Return the picture as a PNG file."""
        content = io.BytesIO()
        self.picture.save(content, "PNG")
        return content.getvalue()


async def systems_of_pdf(documents: AsyncDocumentsClient, pdf: bytes) -> AsyncIterator[System | Dropped]:
    """Yield the systems of a document, and why pages are left out, in the order in which they stand.

    Args:
        documents: The documents service that draws the pages.
        pdf: The document.

    Raises:
        ServiceError: The documents service does not answer.
    """
    most = (await documents.describe()).max_request_bytes - REQUEST_MARGIN
    if len(pdf) > most:
        yield Dropped(Reason.TOO_LARGE, f"the document has {len(pdf)} bytes, more than {most}")
        return
    page, last = 1, 1
    while page <= last:
        if page > MOST_PAGES:
            yield Dropped(Reason.TOO_LARGE, f"pages {page} to {last}: more than {MOST_PAGES}")
            return
        drawn = await _draw(documents, pdf, page, PAGES_AT_ONCE)
        if not drawn.pages:
            drawn = await _draw(documents, pdf, page, 1)
        last = max(last, drawn.page_count)
        if not drawn.pages:
            yield Dropped(Reason.NOT_RENDERED, f"page {page}: {drawn.message}")
        for number, content in enumerate(drawn.pages, page):
            for found in await asyncio.to_thread(_systems, number, content):
                yield found
        page += max(1, len(drawn.pages))


async def _draw(documents: AsyncDocumentsClient, pdf: bytes, first: int, count: int) -> DrawnPages:
    drawn = await documents.draw_pages(pdf, PageDrawing(RESOLUTION, ImageFormat.PNG), first, count)
    if drawn.verdict is Verdict.RENDERED:
        return drawn
    return DrawnPages((), drawn.page_count, drawn.verdict, drawn.message, drawn.defect)


def _systems(page: int, content: bytes) -> list[System | Dropped]:
    """Return the systems of a page, or why there are none."""
    try:
        image = decode_image(content)
    except ImageFaultError as error:
        return [Dropped(Reason.SIZE, f"page {page}: {error}")]
    likely = probability(image)
    if fault := music_fault(likely):
        return [Dropped(fault.reason, f"page {page}: {fault.detail}")]
    pictures = cut_systems(image)
    if not pictures:
        return [Dropped(Reason.NOTHING_TO_CUT, f"page {page}: no staff")]
    return [System(page, number, picture, likely) for number, picture in enumerate(pictures, 1)]
