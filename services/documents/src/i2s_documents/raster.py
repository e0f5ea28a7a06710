"""The program that draws a page: its command line, the limits of its cell, and its report."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from i2s_chassis.limits import Limits
from i2s_chassis.renderer.pixmap import BYTES_PER_PIXEL, HEADER_BYTES
from i2s_wire.documents.drawing import DocumentDefect

#: Files of the work folder.
DOCUMENT, DRAWING, REPORT = "document.pdf", "page.ppm", "page.report"
#: Bound on the report.
REPORT_BYTES = 1024

_SLACK_BYTES = 1024 * 1024
_LOG_BYTES = 16 * 1024
_REPORT = re.compile(
    r"\A(?:defect (?P<defect>\d{1,9})\n|pages (?P<pages>\d{1,9})\n"
    r"(?:(?P<unreadable>unreadable)\n|size (?P<width>\d{1,10}) (?P<height>\d{1,10})\n)?)\Z"
)
# Numbers of FPDF_GetLastError that are about passwords and encryption, see fpdfview.h of PDFium.
_ENCRYPTED = frozenset({4, 5})


@dataclass(frozen=True, slots=True)
class Report:
    """What the program says of a document and a page.

    Attributes:
        defect: Why the document cannot be opened, None if it can.
        pages: Pages of the document.
        size: Size of the page in pixels; None if PDFium cannot read it, or if it was not looked at.
        is_unreadable: Whether PDFium cannot read the page.
    """

    defect: DocumentDefect | None = None
    pages: int = 0
    size: tuple[int, int] | None = None
    is_unreadable: bool = False


def command(inside: Path, pdfium: Path, page: int, dpi: float, limits: Limits) -> list[str]:
    """Return the command line that draws a page of the document in the work folder.

    Args:
        inside: Folder of the program.
        pdfium: Folder of the package ``pypdfium2_raw``.
        page: Number of the page, from 1.
        dpi: Dots per inch.
        limits: Limits of pages and pixels.
    """
    python = os.path.realpath(sys.executable)
    numbers = (str(page), repr(dpi), str(limits.pages), str(limits.pixels))
    # -I and -S: neither the environment, nor the work folder, nor site packages have a say.
    program = [python, "-I", "-S", str(inside / "draw_page.py")]
    return [*program, str(pdfium), DOCUMENT, *numbers, DRAWING, REPORT]


def limits_of_drawing(limits: Limits, pdf_bytes: int, pages: int) -> Limits:
    """Return the limits of the cell in which pages are drawn, one after the other.

    A drawing is bounded by the limit on pixels, so there is room for one beside the document, whatever the
    limits on files are. Time is a budget of the whole cell; each page gets its own share of it.

    Args:
        limits: Limits of each page.
        pdf_bytes: Size of the document.
        pages: The most that are drawn.
    """
    drawing = limits.pixels * BYTES_PER_PIXEL + HEADER_BYTES
    return replace(
        limits,
        cpu_seconds=limits.cpu_seconds * pages,
        wall_seconds=limits.wall_seconds * pages,
        file_bytes=max(drawing, pdf_bytes),
        disk_bytes=drawing + pdf_bytes + _SLACK_BYTES,
        log_bytes=_LOG_BYTES,
    )


def read_report(content: bytes) -> Report | None:
    """Return what the program wrote, None if that is no report."""
    found = _REPORT.match(content.decode("ascii", errors="replace"))
    if found is None:
        return None
    if found["defect"] is not None:
        encrypted = int(found["defect"]) in _ENCRYPTED
        return Report(DocumentDefect.ENCRYPTED if encrypted else DocumentDefect.BROKEN)
    size = (int(found["width"]), int(found["height"])) if found["width"] is not None else None
    return Report(None, int(found["pages"]), size, found["unreadable"] is not None)
