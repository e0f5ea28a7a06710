"""Pages of a score: how many and how large they are, the back ends that draw them, and what was drawn."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass

from i2s_chassis.errors import RasterError
from i2s_chassis.limits import Limits
from i2s_chassis.renderer.pixmap import BYTES_PER_PIXEL, Pixmap, read_png
from i2s_chassis.renderer.png import png_size
from i2s_render_lilypond.model import Options
from i2s_render_lilypond.score import Book
from i2s_wire.render.options import LilypondBackend

#: How much of a PostScript file is read for its header, as LilyPond itself does.
HEADER_BYTES = 10_240
#: Bound on the files with the size of the paper and the number of pages.
PAPER_BYTES = 200

_PAGES = re.compile(rb"^%%Pages: ([0-9]{1,9})\s*$", re.MULTILINE)
_COUNT = re.compile(rb"\A([0-9]{1,9})\n\Z")
_NUMBER = rb"([0-9]{1,20}(?:\.[0-9]{0,30})?(?:e-?[0-9]{1,3})?)"
_PAPER = re.compile(rb"\A" + _NUMBER + rb" " + _NUMBER + rb"\n\Z")


@dataclass(frozen=True, slots=True)
class PaperSize:
    """The size of all pages of a score, in PostScript points."""

    width: float
    height: float


def read_paper(content: bytes) -> PaperSize | None:
    """Return the size that was noted beside the PostScript, None if it is none."""
    match = _PAPER.match(content)
    if match is None:
        return None
    width, height = float(match[1]), float(match[2])
    return PaperSize(width, height) if math.isfinite(width) and math.isfinite(height) else None


def count_pages(header: bytes) -> int:
    """Return the number of pages that the head of a PostScript file names, 0 for none."""
    match = _PAGES.search(header[:HEADER_BYTES])
    return int(match[1]) if match else 0


def read_count(content: bytes) -> int:
    """Return the number of pages that was noted beside drawings, 0 for none."""
    match = _COUNT.match(content)
    return int(match[1]) if match else 0


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
    """The pages that Ghostscript is to draw."""

    #: Size of the pages.
    paper: PaperSize
    #: Dots per inch.
    dpi: float
    #: Number of the first page, from 1; its drawing is that with index 1.
    first: int
    #: Number of the last page, not below ``first``.
    last: int
    #: Size of the pixels of one page.
    page_bytes: int
    #: File with the pages.
    postscript: str


def drawing(
    paper: PaperSize, size: tuple[int, int], dpi: float, first: int, last: int, book: Book
) -> Drawing:
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


_POINTS_PER_INCH = 72


@dataclass(frozen=True, slots=True)
class Backend:
    """A program that draws pages."""

    #: Its name, for messages.
    program: str
    #: Whether its drawings have an alpha channel.
    alpha: bool
    #: Returns the file of a drawing by its index, from 1.
    output: Callable[[int], str]
    #: Returns a length in pixels, of one in pixels that may be a fraction.
    to_pixels: Callable[[float], int]

    def size(self, paper: PaperSize, dpi: float) -> tuple[int, int]:
        """Return width and height of a page in pixels as it draws them."""
        width, height = (points * dpi / _POINTS_PER_INCH for points in (paper.width, paper.height))
        return self.to_pixels(width), self.to_pixels(height)


def _rounded(length: float) -> int:
    return math.floor(length + 0.5)


def _png(index: int) -> str:
    return f"page{index}.png"  # see inside/pages.scm


BACKENDS = {
    LilypondBackend.GHOSTSCRIPT: Backend("Ghostscript", False, output, _rounded),
    LilypondBackend.CAIRO: Backend("LilyPond", True, _png, math.ceil),
}


def cairo_plan(options: Options, limits: Limits) -> str | None:
    """Return what cairo is to draw, as inside/pages.scm reads it; None if it is to draw nothing."""
    if options.backend is not LilypondBackend.CAIRO:
        return None
    last = options.first_page + options.page_count - 1
    numbers = (round(options.dpi), options.first_page, last, limits.pages, limits.pixels)
    return ",".join(map(str, numbers))


_HEADER_BYTES = 2048
# What Ghostscript's device pdfimage24 writes before the pixels of its only page.
_HEADER = re.compile(
    rb"%PDF-1\.3\n[^\n]{1,20}\n%%Invocation: [^\n]{0,1000}\n4 0 obj\n<<\n/Length 5 0 R\n/Subtype /Image\n"
    rb"/Width ([1-9][0-9]{0,6})\n/Height ([1-9][0-9]{0,6})\n"
    rb"/ColorSpace /DeviceRGB\n/BitsPerComponent 8\n>>\nstream\n"
)
_AFTER = b"\nendstream\n"


def drawn_size(drawing: bytes, *, alpha: bool) -> tuple[int, int]:
    """Return width and height in pixels, from the head of a drawing alone.

    Args:
        drawing: The file.
        alpha: Whether it is PNG with an alpha channel.

    Raises:
        RasterError: It is not such a drawing.
    """
    header = None if alpha else _HEADER.match(drawing[:_HEADER_BYTES])
    if header is None:
        return png_size(drawing, alpha=alpha)
    return int(header[1]), int(header[2])


def read_drawn(drawing: bytes, *, alpha: bool) -> Pixmap:
    """Return the pixels of a drawing. Its size is compared with the limit before, see ``drawn_size``.

    Raises:
        RasterError: It is not such a drawing, or broken.
    """
    header = None if alpha else _HEADER.match(drawing[:_HEADER_BYTES])
    if header is None:
        return read_png(drawing, alpha=alpha)
    width, height = int(header[1]), int(header[2])
    end = header.end() + width * height * BYTES_PER_PIXEL
    if drawing[end : end + len(_AFTER)] != _AFTER:
        raise RasterError(f"the drawing does not hold {width} x {height} pixels")
    return Pixmap(width, height, memoryview(drawing)[header.end() : end])
