"""Draw pages with Ghostscript as LilyPond does: the program, its command and its output."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from i2s_chassis.limits import Limits
from i2s_chassis.renderer.pixmap import BYTES_PER_PIXEL
from i2s_render_lilypond.paper import Paper
from i2s_render_lilypond.score import Book

#: The program that Ghostscript is given, in the work folder.
PROGRAM = "draw.ps"
#: Ghostscript's device that writes pixels as they are, in the frame of a PDF file.
RAW_DEVICE = "pdfimage24"
#: Its devices that write PNG: the same pixels, and the first takes less time for it.
PNG_DEVICES = ("fpng", "png16m")
#: More bytes of pixels than this are compressed, to PNG.
RAW_BYTES = 32 * 1024 * 1024
_RAW_SHARE_OF_DISK = 4
_FRAME_BYTES = 8 * 1024  # what a PDF file holds beside the pixels, at most
_NAME = "page"


@dataclass(frozen=True, slots=True)
class Drawing:
    """What Ghostscript is to draw.

    Attributes:
        paper: Size of the pages.
        dpi: Dots per inch.
        first: Number of the first page, from 1; its drawing is that with index 1.
        last: Number of the last page, not below ``first``.
        page_bytes: Size of the pixels of one page.
        postscript: File with the pages.
    """

    paper: Paper
    dpi: float
    first: int
    last: int
    page_bytes: int
    postscript: str


def drawing(paper: Paper, size: tuple[int, int], dpi: float, first: int, last: int, book: Book) -> Drawing:
    """Return what Ghostscript is to draw of a book; ``size`` is that of a page in pixels."""
    return Drawing(paper, dpi, first, last, size[0] * size[1] * BYTES_PER_PIXEL, book.postscript)


def chosen_device(devices: Collection[str], asked: Drawing, limits: Limits) -> str:
    """Return the device that draws pages in the least time and within the limits on files.

    Compressing a page as PNG takes longer than drawing it. So pixels are written as they are, unless there
    are many of them.

    Args:
        devices: Devices that are installed, of RAW_DEVICE and PNG_DEVICES; one of the latter at least.
        asked: What is to be drawn.
        limits: Limits of the job.
    """
    page = asked.page_bytes + _FRAME_BYTES
    most = min(RAW_BYTES, limits.disk_bytes // _RAW_SHARE_OF_DISK)
    fits = page <= limits.file_bytes and page * (asked.last - asked.first + 1) <= most
    if fits and RAW_DEVICE in devices:
        return RAW_DEVICE
    return next(name for name in PNG_DEVICES if name in devices)


def program(asked: Drawing, device: str) -> bytes:
    """Return the PostScript that draws pages of the score.

    Anti-aliasing, size and the isolation of the score's own PostScript are those of `make-ps-images` in
    LilyPond 2.24 (scm/lily/ps-to-png.scm), so that the pixels are.

    Args:
        asked: What it draws.
        device: Ghostscript's name of a device that writes 8 bit RGB.
    """
    paper = asked.paper
    return (
        # The collector of garbage stood still while Ghostscript started, see the command.
        "0 vmreclaim\n"
        f"<< /OutputFile ({_NAME}%d.drawing) /GraphicsAlphaBits 4 /TextAlphaBits 4\n"
        f"/FirstPage {asked.first} /LastPage {asked.last}\n"
        f"/HWResolution [{asked.dpi!r} {asked.dpi!r}] /DownScaleFactor 1\n"
        + ("/Compression (None)\n" if device == RAW_DEVICE else "")
        + f"/PageSize [{paper.width!r} {paper.height!r}] /OutputDevice /{device} >> setpagedevice\n"
        "/.setdefaultscreen where { pop .setdefaultscreen } if\n"
        f"/.addcontrolpath where {{ pop /PermitFileWriting ({_NAME}*) .addcontrolpath }} if\n"
        f"({asked.postscript}) (r) file .setsafe run\n"
    ).encode()


def command(ghostscript: str) -> list[str]:
    """Return the command line that runs the program."""
    return [
        *(ghostscript, "-q", "-dNODISPLAY", "-dNOSAFER", "-dNOPAUSE", "-dBATCH", "-dNOGC"),
        *("-dAutoRotatePages=/None", "-dPrinted=false", PROGRAM),
    ]


def output(index: int) -> str:
    """Return the file of the drawing that was made as number ``index``, from 1."""
    return f"{_NAME}{index}.drawing"
