"""Draw one page with poppler, and decode what it drew."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from pdf2image.parsers import parse_buffer_to_ppm
from PIL import Image

from i2s_chassis.jail import Usage
from i2s_chassis.limits import Limits
from i2s_render_latex.document import PDF

# The size of a drawing is computed and compared with the limit before it is drawn.
Image.MAX_IMAGE_PIXELS = None

_NAME = "page"
#: What poppler draws into, in the work folder.
OUTPUT = f"{_NAME}.ppm"

#: Of a pixmap as poppler writes it: RGB, 8 bit.
_HEADER = re.compile(rb"P6\n([1-9][0-9]{0,6}) ([1-9][0-9]{0,6})\n255\n")
BYTES_PER_PIXEL = 3
_HEADER_BYTES = 64
_SLACK_BYTES = 1024 * 1024
_INSPECTION_BYTES = 1024 * 1024
_LEAST_SECONDS = 0.1
# The sizes of boxes are printed with two decimals, so a side may be off by one.
_TOLERANCE = 1


class RasterError(Exception):
    """Poppler drew something else than was computed."""


def command(page: int, dpi: float, size: tuple[int, int]) -> list[str]:
    """Return the command that draws a page of the job's PDF as RGB, but no more than ``size`` and a pixel."""
    number, (width, height) = str(page), (str(side + _TOLERANCE) for side in size)
    part = ["-x", "0", "-y", "0", "-W", width, "-H", height]
    return ["pdftoppm", "-r", repr(dpi), "-f", number, "-l", number, *part, "-singlefile", PDF, _NAME]


def output_bytes(size: tuple[int, int]) -> int:
    """Return how large the drawing of a page of this many pixels can be."""
    width, height = size
    return (width + _TOLERANCE) * (height + _TOLERANCE) * BYTES_PER_PIXEL + _HEADER_BYTES


def limits_of_raster(limits: Limits, pdf_bytes: int, spent: Usage) -> Limits:
    """Return the limits of the cell in which the pages of a job are drawn, one at a time.

    A drawing is bounded by the limit on pixels, so there is room for one beside the PDF,
    whatever the limits on files are. Time is what the job has left.
    """
    drawing = output_bytes((limits.pixels, 1))
    return replace(
        limits,
        cpu_seconds=max(limits.cpu_seconds - spent.cpu_seconds, _LEAST_SECONDS),
        wall_seconds=max(limits.wall_seconds - spent.clock_seconds, _LEAST_SECONDS),
        file_bytes=max(drawing, pdf_bytes),
        disk_bytes=drawing + pdf_bytes + _SLACK_BYTES,
        log_bytes=_INSPECTION_BYTES,
    )


@dataclass(frozen=True, slots=True)
class Pixmap:
    """A drawing: ``height`` rows of ``width`` pixels of three bytes, red, green and blue."""

    width: int
    height: int
    pixels: bytes | memoryview = field(repr=False)

    def rows(self, first: int, end: int) -> bytes:
        """Return the bytes of some rows."""
        row = self.width * BYTES_PER_PIXEL
        return bytes(self.pixels[first * row : end * row])

    def picture(self, first: int, end: int) -> Image.Image:
        """Return some rows as a picture."""
        header = b"P6\n%d %d\n255\n" % (self.width, end - first)
        (picture,) = parse_buffer_to_ppm(header + self.rows(first, end))
        picture.load()
        return picture


def read_pixmap(drawing: bytes | memoryview, size: tuple[int, int]) -> Pixmap:
    """Return a drawing.

    Args:
        drawing: A portable pixmap (PPM, P6).
        size: Width and height in pixels that were computed for it; each may be off by one.

    Raises:
        RasterError: It is no pixmap of that size.
    """
    # Poppler has read a hostile file, so what it wrote may be anything, and Pillow would open
    # anything: for PostScript it starts Ghostscript, outside of all walls. Nothing but the very
    # pixmap that is expected gets that far.
    header = _HEADER.match(bytes(drawing[:_HEADER_BYTES]))
    if header is None:
        raise RasterError("the drawing of the page is no pixmap")
    width, height = int(header[1]), int(header[2])
    if any(abs(a - b) > _TOLERANCE for a, b in zip((width, height), size, strict=True)):
        raise RasterError(f"the drawing has {(width, height)} pixels, expected {size}")
    if len(drawing) != header.end() + width * height * BYTES_PER_PIXEL:
        raise RasterError(f"the drawing of {(width, height)} pixels has {len(drawing)} bytes")
    return Pixmap(width, height, memoryview(drawing)[header.end() :])
