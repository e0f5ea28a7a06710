"""Look at a PDF before anything is drawn: how many pages, and how many pixels each would have."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

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
    """What a PDF holds.

    Attributes:
        total_pages: Number of its pages.
        pages: Pages that were looked at and can be read.
        complaint: What poppler says of those that cannot; empty for none.
    """

    total_pages: int
    pages: tuple[Page, ...]
    complaint: str = ""


def command(last: int) -> list[str]:
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


def read(output: str) -> Inspection | None:
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
