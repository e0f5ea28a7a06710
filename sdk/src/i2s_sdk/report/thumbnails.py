"""Small copies of large pictures, so that a page of many samples opens quickly."""

from __future__ import annotations

import io
from typing import BinaryIO

from PIL import Image

from i2s_sdk.instances.images import ImageFaultError, decode_image, read_header
from i2s_sdk.runlog.storage import RunStorage

#: Beside the pictures of a run.
THUMBNAILS = "thumbnails"

#: A picture within this size is shown as it is; a larger one is shrunk to fit.
WIDTH, HEIGHT = 960, 720

#: Of a picture that is opened for a report.
MOST_PIXELS = 64_000_000

_QUALITY = 85


def small_copy(
    storage: RunStorage, digest: str, size: tuple[int, int], picture: BinaryIO, source: RunStorage
) -> str:
    """Return the name of a small copy, made if it is missing; empty if the picture needs or has none.

    Args:
        storage: Where the copy lies.
        digest: Digest of the picture.
        size: Size of the picture, in pixels.
        picture: The file of it.
        source: A run that has the picture, and the copy if a report of the run was written.
    """
    name = f"{THUMBNAILS}/{digest[:2]}/{digest}.webp"
    if _fits(size, (WIDTH, HEIGHT)):
        return ""
    if not storage.exists(name):
        small = _copy_of(source, name)
        if small is None:
            picture.seek(0)
            small = shrunk(picture.read(), (WIDTH, HEIGHT))
        if small is None:
            return ""
        storage.write(name, small)
    return name


def _copy_of(source: RunStorage, name: str) -> bytes | None:
    """Return a small copy that a run has; None if it has none."""
    try:
        return source.read(name)
    except FileNotFoundError:
        return None


def shrunk(content: bytes, size: tuple[int, int]) -> bytes | None:
    """Return a picture as WebP within a size; None if it fits already, or cannot be opened.

    Args:
        content: Content of the picture's file.
        size: Largest width and height in pixels.
    """
    try:
        header = read_header(content, MOST_PIXELS)
        if _fits((header.width, header.height), size):
            return None
        small = decode_image(content, MOST_PIXELS).convert("RGB")
    except ImageFaultError:
        return None
    small.thumbnail(size, Image.Resampling.LANCZOS, reducing_gap=2.0)
    out = io.BytesIO()
    small.save(out, "WEBP", quality=_QUALITY)
    return out.getvalue()


def _fits(size: tuple[int, int], most: tuple[int, int]) -> bool:
    return size[0] <= most[0] and size[1] <= most[1]
