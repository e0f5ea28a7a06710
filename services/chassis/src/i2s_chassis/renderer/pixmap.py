"""Decode what an engine drew: portable pixmaps and PNG of 8 bit RGB, and nothing else.

Needs Pillow: the extra "pictures" of this package.
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass, field

from PIL import Image

from i2s_chassis.errors import RasterError
from i2s_chassis.renderer.png import bare_png, png_size

# The size of a drawing is compared with the limit before it is decoded.
Image.MAX_IMAGE_PIXELS = None

BYTES_PER_PIXEL = 3
#: How much of a pixmap its header takes at most.
HEADER_BYTES = 64
_HEADER = re.compile(rb"P6\n([1-9][0-9]{0,6}) ([1-9][0-9]{0,6})\n255\n")


@dataclass(frozen=True, slots=True)
class Pixmap:
    """A drawing: ``height`` rows of ``width`` pixels of three bytes, red, green and blue."""

    width: int
    height: int
    pixels: bytes | memoryview = field(repr=False)

    def rows(self, first: int, end: int) -> bytes:
        """Return the bytes of some rows."""
        row = self.width * BYTES_PER_PIXEL
        return bytes(self.pixels[first * row : end * row])

    def picture(self, first: int, end: int) -> Image.Image:
        """Return some rows as an image."""
        return Image.frombytes("RGB", (self.width, end - first), self.rows(first, end))


def read_ppm(drawing: bytes | memoryview, size: tuple[int, int], tolerance: int = 0) -> Pixmap:
    """Return a portable pixmap (PPM, P6), as poppler writes it.

    Args:
        drawing: The file.
        size: Width and height in pixels that were computed for it.
        tolerance: Tolerance by how much each may be off.

    Raises:
        RasterError: It is not a pixmap of that size.
    """
    # What wrote it has read a hostile file, so it may be anything, and Pillow would open anything: for
    # PostScript it starts Ghostscript, outside of the sandbox. So Pillow is given pixels, never a file.
    header = _HEADER.match(bytes(drawing[:HEADER_BYTES]))
    if header is None:
        raise RasterError("the drawing of the page is no pixmap")
    width, height = int(header[1]), int(header[2])
    if any(abs(a - b) > tolerance for a, b in zip((width, height), size, strict=True)):
        raise RasterError(f"the drawing has {(width, height)} pixels, expected {size}")
    if len(drawing) != header.end() + width * height * BYTES_PER_PIXEL:
        raise RasterError(f"the drawing of {(width, height)} pixels has {len(drawing)} bytes")
    return Pixmap(width, height, memoryview(drawing)[header.end() :])


def read_png(drawing: bytes, *, alpha: bool = False) -> Pixmap:
    """Return a PNG of 8 bit RGB. Its size is compared with the limit before, see ``png.png_size``.

    Args:
        drawing: The file.
        alpha: Whether it has an alpha channel; it is laid on white then.

    Raises:
        RasterError: It is not such an image, or broken.
    """
    # Nothing but the chunks that make the image gets as far as the decoder.
    bare = bare_png(drawing, alpha=alpha)
    try:
        with Image.open(io.BytesIO(bare), formats=("PNG",)) as image:
            head = png_size(drawing, alpha=alpha), "RGBA" if alpha else "RGB"
            if (image.size, image.mode) != head:  # the limits were compared with the head
                raise RasterError(f"the drawing of the page has another size or mode than its head: {head}")
            image.load()
            opaque = _on_white(image) if alpha else image
            return Pixmap(opaque.width, opaque.height, opaque.tobytes())
    except (OSError, SyntaxError, ValueError) as error:
        raise RasterError(f"the drawing of the page is broken: {error}") from error


def _on_white(image: Image.Image) -> Image.Image:
    if image.getchannel("A").getextrema() == (255, 255):
        return image.convert("RGB")
    white = Image.new("RGBA", image.size, "white")
    return Image.alpha_composite(white, image).convert("RGB")
