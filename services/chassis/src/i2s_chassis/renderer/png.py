"""Look at a PNG that an engine wrote, without decoding it. Hostile sources have a hand in it."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from i2s_chassis.errors import RasterError

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_HEADER = struct.Struct(">IIBBBBB")
_HEADER_START = 16
_HEAD_BYTES = 12 + _HEADER.size  # with length, kind and check sum
_ALPHA_AT = 25  # of the colour type
# Depth, colour type, compression, filter, no interlace.
_RGB_8_BIT = (8, 2, 0, 0, 0)
_RGBA_8_BIT = (8, 6, 0, 0, 0)
_HARMLESS = {b"IHDR", b"IDAT"}
# The device fpng of Ghostscript leaves it out.
_END = b"\0\0\0\0IEND\xaeB`\x82"


def png_size(png: bytes, *, alpha: bool = False) -> tuple[int, int]:
    """Return width and height of a PNG in pixels, from its head alone.

    Args:
        png: The file.
        alpha: Whether it has an alpha channel.

    Raises:
        RasterError: It is not a PNG of 8 bit RGB, or not with an alpha channel.
    """
    if png[:8] != _SIGNATURE or png[12:16] != b"IHDR" or len(png) < _HEADER_START + _HEADER.size:
        raise RasterError("the drawing of the page is no PNG")
    width, height, *form = _HEADER.unpack_from(png, _HEADER_START)
    if tuple(form) != (_RGBA_8_BIT if alpha else _RGB_8_BIT) or not width or not height:
        raise RasterError(f"the drawing of the page is no RGB picture of 8 bit: {form}")
    return width, height


def has_alpha(png: bytes) -> bool:
    """Return whether the head of a PNG says that it has an alpha channel; ``png_size`` checks the rest."""
    return png[_ALPHA_AT : _ALPHA_AT + 1] == b"\x06"


def bare_png(png: bytes, *, alpha: bool = False) -> bytes:
    """Return a PNG with nothing but the chunks that make its pixels.

    Raises:
        RasterError: It is not a PNG of 8 bit RGB (or with an alpha channel), has another head, or is cut off
            within a chunk.
    """
    png_size(png, alpha=alpha)
    try:
        chunks = [(kind, chunk) for kind, chunk in _chunks(png) if kind in _HARMLESS]
    except (ValueError, struct.error) as error:
        raise RasterError(f"the drawing of the page is broken: {error}") from error
    # Of several heads a decoder takes the last, and ``png_size`` has read the first.
    if [kind for kind, _ in chunks].count(b"IHDR") != 1 or len(chunks[0][1]) != _HEAD_BYTES:
        raise RasterError("the drawing of the page has not one head of the length of a head")
    return _SIGNATURE + b"".join(chunk for _, chunk in chunks) + _END


def _chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    place = len(_SIGNATURE)
    while place < len(png):
        (length,) = struct.unpack_from(">I", png, place)
        end = place + 12 + length
        if end > len(png):
            raise ValueError("a chunk goes beyond the end")
        yield png[place + 4 : place + 8], png[place:end]
        place = end
