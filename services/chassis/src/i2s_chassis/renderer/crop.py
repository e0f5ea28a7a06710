"""Makes the returned image of a drawn page: cut the foot, crop to ink, encode.

Needs Pillow: the extra "pictures" of this package.
"""

from __future__ import annotations

import asyncio
import io
import time
from collections.abc import Callable

from PIL import Image, ImageChops

from i2s_chassis.errors import RasterError
from i2s_chassis.jail.model import Usage
from i2s_chassis.renderer.model import RawStage, ResolvedPageOptions
from i2s_chassis.renderer.pixmap import BYTES_PER_PIXEL, Pixmap
from i2s_wire.render.options import BlankPage, Crop
from i2s_wire.render.rendering import Picture

#: Level 1 takes 7 ms for a large plot where 6 takes 10 and 9 takes 51, for 2 % more bytes.
_COMPRESSION = 1


def kept_rows(height: int, share: float) -> int:
    """Return how many rows are left when the lowest ``share``, rounded down to whole rows, is cut off."""
    return height - int(height * share)


def inked_rows(page: Pixmap, end: int) -> tuple[int, int] | None:
    """Return the first row with ink and the one after the last, above ``end``; None without any.

    Ink is every pixel that is not pure white. Whole rows are compared, which is far less work
    than to look for ink in all columns: most of a page is white.
    """
    white = b"\xff" * (page.width * BYTES_PER_PIXEL)
    inked = (row for row in range(end) if page.rows(row, row + 1) != white)
    first = next(inked, None)
    if first is None:
        return None
    last = next(row for row in range(end - 1, -1, -1) if page.rows(row, row + 1) != white)
    return first, last + 1


def encode(image: Image.Image) -> bytes:
    """Return an image as PNG. Equal pixels give equal bytes."""
    output = io.BytesIO()
    image.save(output, "PNG", compress_level=_COMPRESSION)
    return output.getvalue()


def finish(page: Pixmap, number: int, options: ResolvedPageOptions) -> Picture | None:
    """Return the image of a drawn page, None for a blank page that does not count.

    Args:
        page: The whole page.
        number: Number of the page, from 1.
        options: What to cut, and what a blank page means.
    """
    end = kept_rows(page.height, options.cut_bottom)
    inked = inked_rows(page, end)
    if inked is None and options.blank_page is BlankPage.NO_OUTPUT:
        return None
    if inked is None or options.crop is not Crop.INK:
        image = page.picture(0, end)
    else:
        band = page.picture(*inked)
        image = band.crop(ImageChops.invert(band).getbbox())
    return Picture(encode(image), image.width, image.height, number)


async def finish_in_thread(
    read: Callable[[], Pixmap], number: int, options: ResolvedPageOptions
) -> tuple[Picture | None, RawStage]:
    """Decode and finish a drawn page in a thread; returns the stage "crop" with what that used too.

    Args:
        read: Decodes the drawing.
        number: Number of the page, from 1.
        options: What to cut, and what a blank page means.

    Raises:
        RasterError: The drawing is not an image of the kind that was asked for.
    """
    return await asyncio.to_thread(_finish_and_measure, read, number, options)


def _finish_and_measure(
    read: Callable[[], Pixmap], number: int, options: ResolvedPageOptions
) -> tuple[Picture | None, RawStage]:
    wall, cpu = time.monotonic(), time.thread_time()
    try:
        image = finish(read(), number, options)
    except ValueError as error:
        raise RasterError(f"the drawing of the page cannot be cut: {error}") from error
    return image, RawStage("crop", Usage(time.monotonic() - wall, time.thread_time() - cpu))
