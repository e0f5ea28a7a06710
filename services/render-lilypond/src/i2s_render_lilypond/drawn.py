"""Read what a back end drew: pixels in the frame of a PDF file, or PNG. Hostile scores have a hand in it."""

from __future__ import annotations

import re

from i2s_chassis.errors import RasterError
from i2s_chassis.renderer.pixmap import BYTES_PER_PIXEL, Pixmap, read_png
from i2s_chassis.renderer.png import png_size

_HEADER_BYTES = 2048
# What Ghostscript's device pdfimage24 writes before the pixels of its only page.
_HEADER = re.compile(
    rb"%PDF-1\.3\n[^\n]{1,20}\n%%Invocation: [^\n]{0,1000}\n4 0 obj\n<<\n/Length 5 0 R\n/Subtype /Image\n"
    rb"/Width ([1-9][0-9]{0,6})\n/Height ([1-9][0-9]{0,6})\n"
    rb"/ColorSpace /DeviceRGB\n/BitsPerComponent 8\n>>\nstream\n"
)
_AFTER = b"\nendstream\n"


def drawn_size(drawing: bytes, *, alpha: bool) -> tuple[int, int]:
    """Return width and height in pixels, from the head of a drawing alone.

    Args:
        drawing: The file.
        alpha: Whether it is PNG with an alpha channel.

    Raises:
        RasterError: It is no such drawing.
    """
    header = None if alpha else _HEADER.match(drawing[:_HEADER_BYTES])
    if header is None:
        return png_size(drawing, alpha=alpha)
    return int(header[1]), int(header[2])


def read_drawn(drawing: bytes, *, alpha: bool) -> Pixmap:
    """Return the pixels of a drawing. Its size is compared with the limit before, see ``drawn_size``.

    Raises:
        RasterError: It is no such drawing, or broken.
    """
    header = None if alpha else _HEADER.match(drawing[:_HEADER_BYTES])
    if header is None:
        return read_png(drawing, alpha=alpha)
    width, height = int(header[1]), int(header[2])
    end = header.end() + width * height * BYTES_PER_PIXEL
    if drawing[end : end + len(_AFTER)] != _AFTER:
        raise RasterError(f"the drawing does not hold {width} x {height} pixels")
    return Pixmap(width, height, memoryview(drawing)[header.end() : end])
