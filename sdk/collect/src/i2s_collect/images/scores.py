"""The pages of PDF documents of music that a person brings: drawn, classified and cut into systems."""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncIterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from i2s_client.documents import AsyncDocumentsClient
from i2s_collect.candidates import Dropped, Reason
from i2s_collect.images.music import Looked, look, music_fault, probability
from i2s_collect.images.staves import Mask, Staff
from i2s_collect.images.values import on_white
from i2s_sdk.instances.images import ImageFaultError, decode_image
from i2s_wire.documents.drawing import DrawnPages, ImageFormat, PageDrawing
from i2s_wire.render.rendering import Verdict

if TYPE_CHECKING:
    from PIL import Image


#: Part of the height between two staves that a bar line or bracket covers which joins them.
JOINED = 0.97

#: Empty rows, in distances of staff lines, beyond which what is above or below is not a part of a system.
WIDEST_GAP = 2.5

#: The same above the first system of a page, where titles stand.
WIDEST_GAP_BELOW_TITLE = 1.2

#: Space that is kept around a system, in distances of staff lines.
MARGIN = 0.5


class Box(NamedTuple):
    """A part of an image, in pixels."""

    #: First column.
    left: int
    #: First row.
    top: int
    #: The column after the last.
    right: int
    #: The row after the last.
    bottom: int


def systems(image: Image.Image) -> list[Box]:
    """Return where the systems of a page are, from the top. There are none if the page has no staff.

    Staves belong to one system if a vertical line joins them. Between two systems the page is divided at the
    middle of its widest empty band, or where it has the least ink if no row is empty. Of its part of the page
    a system has what is not further away than WIDEST_GAP; above the first, than WIDEST_GAP_BELOW_TITLE.
    Coordinates are those of the image as it is given; if it is turned, boxes are level and large enough.

    Args:
        image: A page, of any size and mode.
    """
    looked = look(image)
    groups = joined_staves(looked)
    if not groups:
        return []
    height, width = looked.ink.shape
    rows = np.asarray(np.count_nonzero(looked.ink, axis=1))
    cuts = [0]
    for above, below in pairwise(groups):
        cuts.append(_division(rows, round(above[-1].lines[-1]) + 1, round(below[0].lines[0])))
    cuts.append(height)
    slope = abs(float(np.tan(np.radians(looked.degrees)))) * width / 2
    scale_x, scale_y = image.width / width, image.height / height
    boxes = []
    for group, (top, bottom) in zip(groups, pairwise(cuts), strict=True):
        box = _box(looked.ink, group, top, bottom)
        boxes.append(
            Box(
                int(np.floor(box.left * scale_x)),
                max(0, int(np.floor((box.top - slope) * scale_y))),
                min(image.width, int(np.ceil(box.right * scale_x))),
                min(image.height, int(np.ceil((box.bottom + slope) * scale_y))),
            )
        )
    return boxes


def cut_systems(image: Image.Image) -> list[Image.Image]:
    """Return the images of the systems of a page, in RGB, from the top."""
    colored = on_white(image)
    return [colored.crop(box) for box in systems(image)]


def joined_staves(looked: Looked) -> list[tuple[Staff, ...]]:
    """Return the staves of an image, those of one system together, from the top."""
    groups: list[list[Staff]] = []
    for staff in looked.staves:
        if groups and _are_joined(looked.ink, groups[-1][-1], staff):
            groups[-1].append(staff)
        else:
            groups.append([staff])
    return [tuple(group) for group in groups]


def _are_joined(ink: Mask, upper: Staff, lower: Staff) -> bool:
    """Return whether a vertical line goes from one staff to the next; it may be a little left of both."""
    top, bottom = round(upper.lines[-1]), round(lower.lines[0]) + 1
    reach = round(3 * upper.spacing)
    left = max(0, min(upper.left, lower.left) - reach)
    right = max(upper.right, lower.right) + round(upper.spacing)
    part = ink[top:bottom, left:right]
    # A line that is not quite vertical is in two columns.
    wide = part[:, 1:] | part[:, :-1]
    return bool(wide.size) and bool((wide.mean(axis=0) >= JOINED).any())


def _division(rows: NDArray[np.intp], first: int, last: int) -> int:
    """Return the row at which to divide between two staves: the middle of the longest run with least ink."""
    between = rows[first:last]
    if not len(between):
        return first
    least = np.concatenate(([False], between == between.min(), [False]))
    edges = np.flatnonzero(np.diff(least.astype(np.int8)))
    starts, ends = edges[::2], edges[1::2]
    widest = int(np.argmax(ends - starts))
    return first + int(starts[widest] + ends[widest]) // 2


def _box(ink: Mask, group: tuple[Staff, ...], top: int, bottom: int) -> Box:
    """Return the box of a system within rows of a page."""
    spacing = float(np.mean([staff.spacing for staff in group]))
    gap, margin = round(WIDEST_GAP * spacing), round(MARGIN * spacing)
    filled = np.asarray(ink[top:bottom].any(axis=1))
    first, last = round(group[0].lines[0]) - top, round(group[-1].lines[-1]) - top
    upper_gap = gap if top else round(WIDEST_GAP_BELOW_TITLE * spacing)
    above = np.flatnonzero(filled[:first])[::-1]
    for row in map(int, above):
        if first - row > upper_gap:
            break
        first = row
    below = np.flatnonzero(filled[last + 1 :]) + last + 1
    for row in map(int, below):
        if row - last > gap:
            break
        last = row
    columns = np.flatnonzero(ink[top + first : top + last + 1].any(axis=0))
    left, right = int(columns[0]), int(columns[-1]) + 1
    return Box(
        max(0, left - margin),
        max(top, top + first - margin),
        min(ink.shape[1], right + margin),
        min(bottom, top + last + 1 + margin),
    )


#: Dots an inch at which pages are drawn.
RESOLUTION = 200

#: Pages that are asked for at once, and the most pages of a document that are looked at.
PAGES_AT_ONCE, MOST_PAGES = 8, 400

#: Bytes of a request besides the document, at most.
REQUEST_MARGIN = 65_536


@dataclass(frozen=True, slots=True)
class System:
    """A system of a page. It has no ground truth."""

    #: Number of the page, from 1.
    page: int
    #: Number of the system on its page, from 1.
    number: int
    #: Image in RGB.
    picture: Image.Image
    #: Probability that the page is sheet music.
    probability: float

    def png(self) -> bytes:
        """Return the image as a PNG file."""
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
    images = cut_systems(image)
    if not images:
        return [Dropped(Reason.NOTHING_TO_CUT, f"page {page}: no staff")]
    return [System(page, number, picture, likely) for number, picture in enumerate(images, 1)]
