"""Small copies of large pictures, so that a page of many samples opens quickly."""

from __future__ import annotations

import hashlib
import io
from typing import BinaryIO

from PIL import Image

from i2s_sdk.instances.images import ImageFaultError, decode_image, read_header
from i2s_sdk.kept_bytes import KeptBytes
from i2s_sdk.runlog.storage import RunStorage

#: Folder beside the pictures of a run.
THUMBNAILS = "thumbnails"

#: A picture of no more pixels is shown as it is; a larger one is shrunk to fit WIDTH times HEIGHT.
SHOWN_PIXELS = 1_000_000
WIDTH, HEIGHT = 960, 720

#: The largest picture that is opened for a report.
MOST_PIXELS = 64_000_000

_QUALITY = 85
#: What a kept copy is named by, before the digest of its picture; another way of making has another one.
_MADE = f"small copy 2, {WIDTH} x {HEIGHT}, JPEG {_QUALITY}\n"


def copy_name(digest: str) -> str:
    """Return where the small copy of a picture lies in the folder of a run."""
    return f"{THUMBNAILS}/{digest[:2]}/{digest}.jpg"


def small_copy(
    storage: RunStorage,
    digest: str,
    size: tuple[int, int],
    picture: BinaryIO,
    source: RunStorage,
    kept: KeptBytes | None = None,
) -> str:
    """Return the name of a small copy, made if it is missing; empty if the picture needs or has none.

    Args:
        storage: Where the copy lies.
        digest: Digest of the picture.
        size: Size of the picture, in pixels.
        picture: The file of it.
        source: A run that has the picture, and the copy if a report of the run was written.
        kept: Where copies are kept for other runs with the same pictures; None keeps none.
    """
    width, height = size
    if width * height <= SHOWN_PIXELS:
        return ""
    name = copy_name(digest)
    if not storage.exists(name):
        small = _copy_of(source, name) or _kept_copy(digest, picture, kept)
        if small is None:
            return ""
        storage.write(name, small)
    return name


def _kept_copy(digest: str, picture: BinaryIO, kept: KeptBytes | None) -> bytes | None:
    key = hashlib.sha256(f"{_MADE}{digest}".encode()).hexdigest()
    small = kept.read(key) if kept is not None else None
    if small is None:
        picture.seek(0)
        small = quick_copy(picture.read())
        if small is not None and kept is not None:
            kept.write(key, small)
    return small


def _copy_of(source: RunStorage, name: str) -> bytes | None:
    """Return a small copy that a run has; None if it has none."""
    try:
        return source.read(name)
    except FileNotFoundError:
        return None


def quick_copy(content: bytes) -> bytes | None:
    """Return a picture as JPEG that fits WIDTH times HEIGHT; None if it cannot be opened.

    A run makes one of every large picture. Averages of whole blocks of pixels and JPEG take a sixth of the
    CPU time of a filter over all pixels and WebP, for files twice as large.

    Args:
        content: Content of the picture's file.
    """
    try:
        small = decode_image(content, MOST_PIXELS).convert("RGB")
    except ImageFaultError:
        return None
    small.thumbnail((WIDTH, HEIGHT), Image.Resampling.BILINEAR, reducing_gap=1.0)
    out = io.BytesIO()
    small.save(out, "JPEG", quality=_QUALITY)
    return out.getvalue()


def shrunk(content: bytes, size: tuple[int, int]) -> bytes | None:
    """Return a picture as WebP within a size; None if it fits already, or cannot be opened.

    Args:
        content: Content of the picture's file.
        size: Largest width and height in pixels.
    """
    try:
        header = read_header(content, MOST_PIXELS)
        if header.width <= size[0] and header.height <= size[1]:
            return None
        small = decode_image(content, MOST_PIXELS).convert("RGB")
    except ImageFaultError:
        return None
    small.thumbnail(size, Image.Resampling.LANCZOS, reducing_gap=2.0)
    out = io.BytesIO()
    small.save(out, "WEBP", quality=_QUALITY)
    return out.getvalue()
