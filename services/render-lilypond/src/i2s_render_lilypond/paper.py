"""The pages of a score before they are drawn: how many, how large."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

#: How much of a PostScript file is read for its header, as LilyPond itself does.
HEADER_BYTES = 10_240
#: Bound on the file with the size of the paper.
PAPER_BYTES = 200

_POINTS_PER_INCH = 72
_PAGES = re.compile(rb"^%%Pages: ([0-9]{1,9})\s*$", re.MULTILINE)
_NUMBER = rb"([0-9]{1,20}(?:\.[0-9]{0,30})?(?:e-?[0-9]{1,3})?)"
_PAPER = re.compile(rb"\A" + _NUMBER + rb" " + _NUMBER + rb"\n\Z")


@dataclass(frozen=True, slots=True)
class Paper:
    """The size of all pages of a score, in PostScript points."""

    width: float
    height: float

    def size_at(self, dpi: float) -> tuple[int, int]:
        """Return width and height in pixels as Ghostscript draws them."""
        return _pixels(self.width, dpi), _pixels(self.height, dpi)


def _pixels(points: float, dpi: float) -> int:
    return math.floor(points * dpi / _POINTS_PER_INCH + 0.5)


def read_paper(content: bytes) -> Paper | None:
    """Return the size that was noted beside the PostScript, None if it is none."""
    found = _PAPER.match(content)
    if found is None:
        return None
    width, height = float(found[1]), float(found[2])
    return Paper(width, height) if math.isfinite(width) and math.isfinite(height) else None


def count_pages(header: bytes) -> int:
    """Return the number of pages that the head of a PostScript file names, 0 for none."""
    found = _PAGES.search(header[:HEADER_BYTES])
    return int(found[1]) if found else 0
