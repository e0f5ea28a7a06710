"""Check a score before anything reads it; name the job's own files."""

from __future__ import annotations

from dataclasses import dataclass

from i2s_chassis.limits import Limits
from i2s_chassis.renderer import bounds

#: LilyPond's name for the job; its files are called so.
JOB_NAME = "score"
SCORE = f"{JOB_NAME}.ly"
LOG = f"{JOB_NAME}.log"
CONVERT_LOG = "convert.log"
#: The notes that were engraved, see inside/notes.scm.
NOTES = f"{JOB_NAME}.notes"


@dataclass(frozen=True, slots=True)
class Book:
    """The files with the pages of a book, see inside/pages.scm."""

    #: What their names begin with.
    name: str

    @property
    def postscript(self) -> str:
        """The pages, unless cairo draws them."""
        return f"{self.name}.ps"

    @property
    def paper(self) -> str:
        """The size of the pages."""
        return f"{self.name}.paper"

    @property
    def pages(self) -> str:
        """The number of pages that cairo draws."""
        return f"{self.name}.pages"


#: The book of the job's own name, and the first and second to which the score gave another.
OWN_BOOK, NAMED_BOOK, FURTHER_BOOK = Book(JOB_NAME), Book("book1"), Book("book2")

# Work folders hold what LilyPond writes too: log, PostScript, size of the paper.
_BY_PRODUCTS = 3


def complaint(score: bytes, *, max_bytes: int) -> str | None:
    """Return why a score cannot be given to LilyPond, None if it can.

    Args:
        score: The text.
        max_bytes: Bound on it.

    Returns:
        One sentence that begins with the field at fault.
    """
    if b"\0" in score:
        return f"lilypond.score: holds a NUL at byte {score.index(0)}; remove it"
    return bounds.text_complaint(score, "lilypond.score", max_bytes)


def disk_complaint(score: bytes, limits: Limits) -> str | None:
    """Return why the score alone fills a work folder of these limits, None if it does not."""
    return bounds.disk_complaint([score], limits, by_products=_BY_PRODUCTS)
