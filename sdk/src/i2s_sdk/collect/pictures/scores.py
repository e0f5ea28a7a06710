"""PDF documents of music that a person brings: their pages drawn, classified and cut into systems."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from i2s_sdk.clients.documents import AsyncDocumentsClient
from i2s_sdk.collect.candidates import Dropped, Reason
from i2s_sdk.collect.pictures.music import music_fault, probability
from i2s_sdk.collect.pictures.systems import cut_systems
from i2s_sdk.instances.images import decode_image
from i2s_wire.documents.drawing import ImageFormat, PageDrawing
from i2s_wire.render.rendering import Verdict

if TYPE_CHECKING:
    from PIL import Image

#: Dots an inch at which pages are drawn.
RESOLUTION = 200


@dataclass(frozen=True, slots=True)
class System:
    """A system of a page. It has no ground truth.

    Attributes:
        page: Number of the page, from 1.
        number: Of the system on its page, from 1.
        picture: In RGB.
        probability: That the page is sheet music.
    """

    page: int
    number: int
    picture: Image.Image
    probability: float


async def systems_of_pdf(documents: AsyncDocumentsClient, pdf: bytes) -> AsyncIterator[System | Dropped]:
    """Yield the systems of a document, and why pages are left out, in the order in which they stand.

    Args:
        documents: Draws the pages.
        pdf: The document.

    Raises:
        ServiceError: The documents service does not answer.
    """
    drawn = await documents.draw_pages(pdf, PageDrawing(RESOLUTION, ImageFormat.PNG))
    if drawn.verdict is not Verdict.RENDERED:
        yield Dropped(Reason.NOT_RENDERED, drawn.message)
        return
    for page, content in enumerate(drawn.pages, 1):
        image = decode_image(content)
        likely = probability(image)
        if fault := music_fault(likely):
            yield Dropped(fault.reason, f"page {page}: {fault.detail}")
            continue
        pictures = cut_systems(image)
        if not pictures:
            yield Dropped(Reason.NOTHING_TO_CUT, f"page {page}: no staff")
        for number, picture in enumerate(pictures, 1):
            yield System(page, number, picture, likely)
