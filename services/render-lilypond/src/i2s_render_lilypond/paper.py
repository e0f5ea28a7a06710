"""The pages of a score before they are drawn: how many, how large."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

#: How much of a PostScript file is read for its header, as LilyPond itself does.
HEADER_BYTES = 10_240
#: Bound on the files with the size of the paper and the number of pages.
PAPER_BYTES = 200

_PAGES = re.compile(rb"^%%Pages: ([0-9]{1,9})\s*$", re.MULTILINE)
_COUNT = re.compile(rb"\A([0-9]{1,9})\n\Z")
_NUMBER = rb"([0-9]{1,20}(?:\.[0-9]{0,30})?(?:e-?[0-9]{1,3})?)"
_PAPER = re.compile(rb"\A" + _NUMBER + rb" " + _NUMBER + rb"\n\Z")


@dataclass(frozen=True, slots=True)
class Paper:
    """The size of all pages of a score, in PostScript points."""

    width: float
    height: float


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


def read_count(content: bytes) -> int:
    """Return the number of pages that was noted beside drawings, 0 for none."""
    found = _COUNT.match(content)
    return int(found[1]) if found else 0
