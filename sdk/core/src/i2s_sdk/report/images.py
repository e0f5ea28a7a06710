"""The images of a report: beside it as files or within it, and small copies of large ones."""

from __future__ import annotations

import base64
import hashlib
import io
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import BinaryIO

from PIL import Image

from i2s_sdk.files import KeptBytes
from i2s_sdk.instances.images import ImageFaultError, decode_image, read_header
from i2s_sdk.run.storage.folder import image_name
from i2s_sdk.run.storage.interface import RunStorage

#: Folder beside the images of a run.
THUMBNAILS = "thumbnails"

#: An image of no more pixels is shown as it is; a larger one is shrunk to fit WIDTH times HEIGHT.
SHOWN_PIXELS = 1_000_000
WIDTH, HEIGHT = 960, 720

#: The largest image that is opened for a report.
MOST_PIXELS = 64_000_000

_QUALITY = 85
#: What a kept copy is named by, before the digest of its image; another way of making has another one.
_MADE = f"small copy 2, {WIDTH} x {HEIGHT}, JPEG {_QUALITY}\n"


def copy_name(digest: str) -> str:
    """Return where the small copy of an image lies in the folder of a run."""
    return f"{THUMBNAILS}/{digest[:2]}/{digest}.jpg"


def small_copy(
    storage: RunStorage,
    digest: str,
    size: tuple[int, int],
    file: BinaryIO,
    source: RunStorage,
    kept: KeptBytes | None = None,
) -> str:
    """Return the name of a small copy, made if it is missing; empty if the image needs or has none.

    Args:
        storage: Where the copy lies.
        digest: Digest of the image.
        size: Size of the image, in pixels.
        file: The file of it.
        source: A run that has the image, and the copy if a report of the run was written.
        kept: Where copies are kept for other runs with the same images; None keeps none.
    """
    width, height = size
    if width * height <= SHOWN_PIXELS:
        return ""
    name = copy_name(digest)
    if not storage.exists(name):
        small = _copy_of(source, name) or _kept_copy(digest, file, kept)
        if small is None:
            return ""
        storage.write(name, small)
    return name


def _kept_copy(digest: str, file: BinaryIO, kept: KeptBytes | None) -> bytes | None:
    key = hashlib.sha256(f"{_MADE}{digest}".encode()).hexdigest()
    small = kept.read(key) if kept is not None else None
    if small is None:
        file.seek(0)
        small = quick_copy(file.read())
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
    """Return an image as JPEG that fits WIDTH times HEIGHT; None if it cannot be opened.

    A run makes one of every large image. Averages of whole blocks of pixels and JPEG take a sixth of the
    CPU time of a filter over all pixels and WebP, for files twice as large.

    Args:
        content: Content of the image's file.
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
    """Return an image as WebP within a size; None if it fits already, or cannot be opened.

    Args:
        content: Content of the image's file.
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


#: An image within a file is shrunk to fit this.
EMBEDDED_SIZE = (720, 540)

_THREADS = 4  # Pillow lets go of the interpreter while it works


@dataclass(frozen=True, slots=True)
class Gallery:
    """The images that a report can show."""

    #: Entries by digest: name of the file shown and of the whole image (both empty if it is within the
    #: report), width and height of the whole image.
    entries: Mapping[str, tuple[str, str, int, int]]
    #: Data URLs, in the order of ``entries``; empty if images are files.
    embedded: tuple[str, ...] = field(default=())


def beside(storage: RunStorage, sources: Mapping[str, RunStorage], kept: KeptBytes | None = None) -> Gallery:
    """Put images and small copies beside a report, those that are not there yet.

    Args:
        storage: The storage of the report.
        sources: Sources by digest, the run that has the image.
        kept: Where small copies are kept for other runs; None keeps none.
    """
    number = max((_THREADS, storage.threads, *(source.threads for source in sources.values())))
    with ThreadPoolExecutor(number) as threads:
        entries = threads.map(lambda digest: _entry(storage, digest, sources[digest], kept), sources)
        return Gallery({digest: one for digest, one in zip(sources, entries, strict=True) if one})


def _entry(
    storage: RunStorage, digest: str, source: RunStorage, kept: KeptBytes | None
) -> tuple[str, str, int, int] | None:
    """Return how an image is shown; None if it is gone, or cannot be opened."""
    name = image_name(digest)
    try:
        if str(storage) == str(source) or storage.exists(name):
            opened = storage.open(name)
        else:
            png = source.read(name)
            storage.write(name, png)
            opened = io.BytesIO(png)
    except FileNotFoundError:
        return None
    with opened as file:
        size = _size(file)
        if size is None:
            return None
        return small_copy(storage, digest, size, file, source, kept) or name, name, *size


def within(sources: Mapping[str, RunStorage]) -> Gallery:
    """Return images as data URLs, small enough that a file of many can be sent around.

    Args:
        sources: Sources by digest, the run that has the image.
    """
    entries: dict[str, tuple[str, str, int, int]] = {}
    embedded = []
    number = max((_THREADS, *(source.threads for source in sources.values())))
    with ThreadPoolExecutor(number) as threads:
        images = threads.map(lambda digest: _embedded(digest, sources[digest]), sources)
        for digest, image in zip(sources, images, strict=True):
            if image is not None:
                entries[digest] = ("", "", *image[0])
                embedded.append(image[1])
    return Gallery(entries, tuple(embedded))


def _embedded(digest: str, source: RunStorage) -> tuple[tuple[int, int], str] | None:
    try:
        png = source.read(image_name(digest))
    except FileNotFoundError:
        return None
    size = _size(io.BytesIO(png))
    if size is None:
        return None
    small = shrunk(png, EMBEDDED_SIZE)
    kind, content = ("png", png) if small is None or len(small) > len(png) else ("webp", small)
    return size, f"data:image/{kind};base64,{base64.b64encode(content).decode()}"


def _size(file: BinaryIO) -> tuple[int, int] | None:
    try:
        header = read_header(file, MOST_PIXELS)
    except ImageFaultError:
        return None
    return header.width, header.height
