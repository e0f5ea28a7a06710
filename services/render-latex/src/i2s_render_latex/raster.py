"""Poppler: the commands that inspect, draw and read pages of a PDF, their output, the limits of the cell."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace

from i2s_chassis.jail import Usage
from i2s_chassis.limits import Limits
from i2s_chassis.renderer.bounds import limits_left
from i2s_chassis.renderer.pixmap import BYTES_PER_PIXEL, HEADER_BYTES, Pixmap, read_ppm
from i2s_chassis.renderer.wire import printable
from i2s_render_latex.document import PDF

_PAGES = re.compile(r"^Pages:\s+(\d{1,9})\s*$", re.MULTILINE)
_NUMBERS = r"\s+".join([r"(-?\d+(?:\.\d+)?|-?inf|-?nan)"] * 4)
_BOX = re.compile(rf"^Page\s+(\d{{1,9}})\s+MediaBox:\s+{_NUMBERS}\s*$", re.MULTILINE)
_COMPLAINT = re.compile(r"^Syntax Error: (.+?)\s*$", re.MULTILINE)
_MAX_COMPLAINT = 300
_ROTATION = re.compile(r"^Page\s+(\d{1,9})\s+rot:\s+(-?\d{1,12})\s*$", re.MULTILINE)

# A page as pdfTeX writes it, and what would make poppler see it in another way.
_SIDE = rb"([1-9][0-9]{0,4}(?:\.[0-9]{1,5})?)"  # poppler takes a page without area for one of US letter
_PLAIN_BOX = re.compile(rb"^/MediaBox \[0 0 " + _SIDE + b" " + _SIDE + rb"\]$", re.MULTILINE)
_ONCE = (b"/Type /Page\n", b"/Type /Pages\n", b"/MediaBox", b"\n/Count 1\n/Kids [")
_NOT_PLAIN = (b"/Rotate", b"/CropBox", b"/ObjStm", b"/XRef", b"/Encrypt")

_POINTS_PER_INCH = 72.0
# Poppler takes no other angle for a turn, once it has brought it into this range.
_TURNED_BY_A_QUARTER = (90, 270)


@dataclass(frozen=True, slots=True)
class Page:
    """One page as the rasteriser takes it: its media box in points, already turned."""

    number: int
    width: float
    height: float

    def size_at(self, dpi: float) -> tuple[int, int]:
        """Return width and height in pixels, as poppler rounds them."""
        scale = dpi / _POINTS_PER_INCH
        return math.ceil(self.width * scale), math.ceil(self.height * scale)

    @property
    def is_drawable(self) -> bool:
        """Whether both sides are finite and above zero."""
        return all(math.isfinite(side) and side > 0 for side in (self.width, self.height))


@dataclass(frozen=True, slots=True)
class Inspection:
    """The pages of a PDF."""

    #: Number of its pages.
    total_pages: int
    #: Pages that were looked at and can be read.
    pages: tuple[Page, ...]
    #: What poppler says of those that cannot; empty for none.
    complaint: str = ""


def inspection_command(last: int) -> list[str]:
    """Return the command that looks at the pages of the job's PDF up to ``last``."""
    # The range begins with page 1: one that begins after the last page is an error to pdfinfo.
    return ["pdfinfo", "-box", "-f", "1", "-l", str(last), PDF]


def read_plain(pdf: bytes) -> Inspection | None:
    """Return what a PDF of one page says in plain words; None if that may be read in more ways than one.

    It saves a process for almost every document. A document can make its PDF lie; so what is drawn of the
    page is bounded by what was said (``raster.command``), and poppler is asked where it drew something else.
    """
    if any(pdf.count(words) != 1 for words in _ONCE) or any(words in pdf for words in _NOT_PLAIN):
        return None
    box = _PLAIN_BOX.search(pdf)
    return Inspection(1, (Page(1, float(box[1]), float(box[2])),)) if box else None


def read_inspection(output: str) -> Inspection | None:
    """Return what pdfinfo found, None if it could make nothing of the file.

    Poppler draws the media box, ignores UserUnit, and swaps the sides of pages turned by a
    quarter. The title of a document may imitate the lines that count, but stands before them, so
    the last of a kind is taken.
    """
    totals = _PAGES.findall(output)
    if not totals:
        return None
    turned = {
        int(number): int(degrees) in _TURNED_BY_A_QUARTER for number, degrees in _ROTATION.findall(output)
    }
    pages: dict[int, Page] = {}
    for number, *corners in _BOX.findall(output):
        left, bottom, right, top = map(float, corners)
        width, height = right - left, top - bottom
        if turned.get(int(number), False):
            width, height = height, width
        pages[int(number)] = Page(int(number), width, height)
    total = int(totals[-1])
    complaints = dict.fromkeys(_COMPLAINT.findall(output))
    return Inspection(
        total,
        tuple(pages[number] for number in sorted(pages) if number <= total),
        "; ".join(complaints)[:_MAX_COMPLAINT],
    )


#: The most of the text of a page, in bytes of UTF-8; the rest is left out.
MAX_BYTES = 64 * 1024


def text_command(number: int) -> list[str]:
    """Return the command that prints the text of a page of the job's PDF in reading order, as UTF-8."""
    page = str(number)
    return ["pdftotext", "-f", page, "-l", page, "-enc", "UTF-8", "-nopgbrk", "-q", PDF, "-"]


def read_text(output: bytes) -> str:
    """Return the text that was printed, up to MAX_BYTES and without control characters."""
    text = printable(output[:MAX_BYTES].decode(errors="ignore"))
    return text.encode()[:MAX_BYTES].decode(errors="ignore").strip()


_NAME = "page"
#: What poppler draws into, in the work folder.
OUTPUT = f"{_NAME}.ppm"

_SLACK_BYTES = 1024 * 1024
_INSPECTION_BYTES = 1024 * 1024
# The sizes of boxes are printed with two decimals, so a side may be off by one.
_TOLERANCE = 1


def drawing_command(page: int, dpi: float, size: tuple[int, int]) -> list[str]:
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
        RasterError: It is not a pixmap of that size.
    """
    return read_ppm(drawing, size, _TOLERANCE)
