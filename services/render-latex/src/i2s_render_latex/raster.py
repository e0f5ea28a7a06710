"""Draw one page with poppler: the command, its output, and the limits of the cell."""

from __future__ import annotations

from dataclasses import replace

from i2s_chassis.jail import Usage
from i2s_chassis.limits import Limits
from i2s_chassis.renderer.bounds import limits_left
from i2s_chassis.renderer.pixmap import BYTES_PER_PIXEL, HEADER_BYTES, Pixmap, read_ppm
from i2s_render_latex.document import PDF

_NAME = "page"
#: What poppler draws into, in the work folder.
OUTPUT = f"{_NAME}.ppm"

_SLACK_BYTES = 1024 * 1024
_INSPECTION_BYTES = 1024 * 1024
# The sizes of boxes are printed with two decimals, so a side may be off by one.
_TOLERANCE = 1


def command(page: int, dpi: float, size: tuple[int, int]) -> list[str]:
    """Return the command that draws a page of the job's PDF as RGB, but no more than ``size`` and a pixel."""
    number, (width, height) = str(page), (str(side + _TOLERANCE) for side in size)
    part = ["-x", "0", "-y", "0", "-W", width, "-H", height]
    return ["pdftoppm", "-r", repr(dpi), "-f", number, "-l", number, *part, "-singlefile", PDF, _NAME]


def output_bytes(size: tuple[int, int]) -> int:
    """Return how large the drawing of a page of this many pixels can be."""
    width, height = size
    return (width + _TOLERANCE) * (height + _TOLERANCE) * BYTES_PER_PIXEL + HEADER_BYTES


def limits_of_raster(limits: Limits, pdf_bytes: int, spent: Usage) -> Limits:
    """Return the limits of the cell in which the pages of a job are drawn, one at a time.

    A drawing is bounded by the limit on pixels, so there is room for one beside the PDF,
    whatever the limits on files are. Time is what the job has left.
    """
    drawing = output_bytes((limits.pixels, 1))
    return replace(
        limits_left(limits, spent),
        file_bytes=max(drawing, pdf_bytes),
        disk_bytes=drawing + pdf_bytes + _SLACK_BYTES,
        log_bytes=_INSPECTION_BYTES,
    )


def read_drawing(drawing: bytes | memoryview, size: tuple[int, int]) -> Pixmap:
    """Return what poppler drew, a page whose size was computed before.

    Raises:
        RasterError: It is no pixmap of that size.
    """
    return read_ppm(drawing, size, _TOLERANCE)
