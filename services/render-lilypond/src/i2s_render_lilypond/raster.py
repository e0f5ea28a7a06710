"""Draw pages with Ghostscript as LilyPond does: the program, its command and its output."""

from __future__ import annotations

from i2s_render_lilypond.paper import Paper
from i2s_render_lilypond.score import POSTSCRIPT

#: The program that Ghostscript is given, in the work folder.
PROGRAM = "draw.ps"
_NAME = "page"


def program(paper: Paper, dpi: float, device: str, first: int, last: int) -> bytes:
    """Return the PostScript that draws pages ``first`` to ``last`` of the score.

    Device, anti-aliasing, size and the walls around the score's own PostScript are those of
    `make-ps-images` in LilyPond 2.24 (scm/lily/ps-to-png.scm), so that the pixels are.

    Args:
        paper: Size of the pages.
        dpi: Dots per inch.
        device: Ghostscript's name of a device that writes 8 bit RGB as PNG.
        first: Number of the first page, from 1; its drawing is that with index 1.
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
