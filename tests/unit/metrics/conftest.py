"""Encoded images."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Callable

import numpy as np
import pytest
from PIL import Image


def _encode(pixels: np.ndarray | Image.Image, kind: str = "PNG", **options) -> bytes:
    picture = pixels if isinstance(pixels, Image.Image) else Image.fromarray(pixels)
    encoded = io.BytesIO()
    picture.save(encoded, kind, **options)
    return encoded.getvalue()


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def _png(width: int, height: int, depth: int, colour: int, rows: bytes) -> bytes:
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    chunks = _chunk(b"IHDR", header) + _chunk(b"IDAT", zlib.compress(rows)) + _chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + chunks


@pytest.fixture(scope="session")
def encode() -> Callable[..., bytes]:
    """An array or Pillow image as a file."""
    return _encode


@pytest.fixture(scope="session")
def raw_png() -> Callable[[int, int, int, int, bytes], bytes]:
    """A PNG of width, height, bit depth, colour type and unfiltered rows, whether they fit or not."""
    return _png
