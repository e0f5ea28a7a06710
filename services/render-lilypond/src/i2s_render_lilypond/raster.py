"""Draw pages with Ghostscript as LilyPond does, and decode what it drew."""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator

from PIL import Image

from i2s_render_lilypond.faults import RasterError
from i2s_render_lilypond.paper import Paper
from i2s_render_lilypond.score import POSTSCRIPT

# The size of a drawing is compared with the limit before it is decoded.
Image.MAX_IMAGE_PIXELS = None

#: The program that Ghostscript is given, in the work folder.
PROGRAM = "draw.ps"
_NAME = "page"

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_HEADER = struct.Struct(">IIBBBBB")
_RGB_8_BIT = (8, 2, 0, 0, 0)  # depth, colour type, compression, filter, no interlace
_HARMLESS = {b"IHDR", b"IDAT"}
# The device fpng leaves it out.
_END = b"\0\0\0\0IEND\xaeB`\x82"


def program(paper: Paper, dpi: float, device: str, first: int, last: int) -> bytes:
    """Return the PostScript that draws pages ``first`` to ``last`` of the score.

    Device, anti-aliasing, size and the walls around the score's own PostScript are those of
    `make-ps-images` in LilyPond 2.24 (scm/lily/ps-to-png.scm), so that the pixels are.

    Args:
        paper: Size of the pages.
        dpi: Dots per inch.
        device: Ghostscript's name of a device that writes 8 bit RGB as PNG.
        first: From 1; its drawing is that with index 1.
        last: Not below ``first``.
    """
    return (
        f"<< /OutputFile ({_NAME}%d.png) /GraphicsAlphaBits 4 /TextAlphaBits 4\n"
        f"/FirstPage {first} /LastPage {last}\n"
        f"/HWResolution [{dpi!r} {dpi!r}] /DownScaleFactor 1\n"
        f"/PageSize [{paper.width!r} {paper.height!r}] /OutputDevice /{device} >> setpagedevice\n"
        "/.setdefaultscreen where { pop .setdefaultscreen } if\n"
        f"/.addcontrolpath where {{ pop /PermitFileWriting ({_NAME}*) .addcontrolpath }} if\n"
        f"({POSTSCRIPT}) (r) file .setsafe run\n"
    ).encode()


def command(ghostscript: str) -> list[str]:
    """Return the command line that runs the program."""
    return [
        *(ghostscript, "-q", "-dNODISPLAY", "-dNOSAFER", "-dNOPAUSE", "-dBATCH"),
        *("-dAutoRotatePages=/None", "-dPrinted=false", PROGRAM),
    ]


def output(index: int) -> str:
    """Return the file of the drawing that was made as number ``index``, from 1."""
    return f"{_NAME}{index}.png"


def size_of(drawing: bytes) -> tuple[int, int]:
    """Return width and height of a drawing in pixels, from its head alone.

    Raises:
        RasterError: It is no PNG of 8 bit RGB.
    """
    kind = drawing[12:16]
    if drawing[:8] != _SIGNATURE or kind != b"IHDR" or len(drawing) < 16 + _HEADER.size:
        raise RasterError("the drawing of the page is no PNG")
    width, height, *form = _HEADER.unpack_from(drawing, 16)
    if tuple(form) != _RGB_8_BIT or not width or not height:
        raise RasterError(f"the drawing of the page is no RGB picture of 8 bit: {form}")
    return width, height


def decode(drawing: bytes) -> Image.Image:
    """Return a drawing whose size was looked at before as a picture, RGB.

    Raises:
        RasterError: It is broken.
    """
    # Ghostscript has read a hostile file, so what it wrote may be anything. Nothing but the
    # chunks that make the picture gets as far as the decoder.
    size_of(drawing)
    try:
        kept = _SIGNATURE + b"".join(chunk for kind, chunk in _chunks(drawing) if kind in _HARMLESS) + _END
        with Image.open(io.BytesIO(kept), formats=("PNG",)) as picture:
            picture.load()
            return picture
    except (OSError, SyntaxError, ValueError, struct.error) as error:
        raise RasterError(f"the drawing of the page is broken: {error}") from error


def _chunks(drawing: bytes) -> Iterator[tuple[bytes, bytes]]:
    place = len(_SIGNATURE)
    while place < len(drawing):
        (length,) = struct.unpack_from(">I", drawing, place)
        end = place + 12 + length
        if end > len(drawing):
            raise ValueError("a chunk goes beyond the end")
        yield drawing[place + 4 : place + 8], drawing[place:end]
        place = end
