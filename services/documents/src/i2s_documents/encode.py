"""Makes the returned image of a drawn page."""

from __future__ import annotations

import asyncio
import hashlib
import io
import time

from i2s_chassis.jail import Usage
from i2s_chassis.renderer.crop import encode as encode_png
from i2s_chassis.renderer.model import RawStage
from i2s_chassis.renderer.pixmap import Pixmap
from i2s_wire.documents.drawing import ImageFormat, PageDrawing, PageImage


def encode(drawn: Pixmap, page: int, drawing: PageDrawing) -> PageImage:
    """Return the image of a drawn page. Equal pixels give equal bytes.

    Args:
        drawn: The whole page.
        page: Its number, from 1.
        drawing: Format and quality.
    """
    picture = drawn.picture(0, drawn.height)
    if drawing.format is ImageFormat.PNG:
        image = encode_png(picture)
    else:
        output = io.BytesIO()
        picture.save(output, "JPEG", quality=drawing.quality)
        image = output.getvalue()
    return PageImage(image, drawn.width, drawn.height, page, hashlib.sha256(image).hexdigest())


async def encode_in_thread(drawn: Pixmap, page: int, drawing: PageDrawing) -> tuple[PageImage, RawStage]:
    """Encode a drawn page in a thread; also returns the stage "encode" with what that used."""
    return await asyncio.to_thread(_encode_and_measure, drawn, page, drawing)


def _encode_and_measure(drawn: Pixmap, page: int, drawing: PageDrawing) -> tuple[PageImage, RawStage]:
    wall, cpu = time.monotonic(), time.thread_time()
    image = encode(drawn, page, drawing)
    return image, RawStage("encode", Usage(time.monotonic() - wall, time.thread_time() - cpu))
