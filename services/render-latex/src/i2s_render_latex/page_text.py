"""The text of a page of a PDF, by poppler: the command, and its output."""

from __future__ import annotations

from i2s_chassis.renderer.wire import printable
from i2s_render_latex.document import PDF

#: The most of the text of a page, in bytes of UTF-8; the rest is left out.
MAX_BYTES = 64 * 1024


def command(number: int) -> list[str]:
    """Return the command that prints the text of a page of the job's PDF in reading order, as UTF-8."""
    page = str(number)
    return ["pdftotext", "-f", page, "-l", page, "-enc", "UTF-8", "-nopgbrk", "-q", PDF, "-"]


def read(output: bytes) -> str:
    """Return the text that was printed, up to MAX_BYTES and without control characters."""
    text = printable(output[:MAX_BYTES].decode(errors="ignore"))
    return text.encode()[:MAX_BYTES].decode(errors="ignore").strip()
