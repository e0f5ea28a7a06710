"""The pictures of a report: beside it as files, or within it."""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import BinaryIO

from i2s_sdk.instances.images import ImageFaultError, read_header
from i2s_sdk.kept_bytes import KeptBytes
from i2s_sdk.report.thumbnails import MOST_PIXELS, shrunk, small_copy
from i2s_sdk.runlog.folder import picture_name
from i2s_sdk.runlog.storage import RunStorage

#: A picture within a file is shrunk to fit this.
EMBEDDED_SIZE = (720, 540)

_THREADS = 4  # Pillow lets go of the interpreter while it works


@dataclass(frozen=True, slots=True)
class Gallery:
    """The pictures that a report can show.

    Attributes:
        entries: Entries by digest: name of the file shown and of the whole picture (both empty if it is
            within the report), width and height of the whole picture.
        embedded: Data URLs, in the order of ``entries``; empty if pictures are files.
    """

    entries: Mapping[str, tuple[str, str, int, int]]
    embedded: tuple[str, ...] = field(default=())


def beside(storage: RunStorage, sources: Mapping[str, RunStorage], kept: KeptBytes | None = None) -> Gallery:
    """Put pictures and small copies beside a report, those that are not there yet.

    Args:
        storage: The storage of the report.
        sources: Sources by digest, the run that has the picture.
        kept: Where small copies are kept for other runs; None keeps none.
    """
    number = max((_THREADS, storage.threads, *(one.threads for one in sources.values())))
    with ThreadPoolExecutor(number) as threads:
        found = threads.map(lambda digest: _entry(storage, digest, sources[digest], kept), sources)
        return Gallery({digest: one for digest, one in zip(sources, found, strict=True) if one})


def _entry(
    storage: RunStorage, digest: str, source: RunStorage, kept: KeptBytes | None
) -> tuple[str, str, int, int] | None:
    """Return how a picture is shown; None if it is gone, or cannot be opened."""
    name = picture_name(digest)
    try:
        if str(storage) == str(source) or storage.exists(name):
            opened = storage.open(name)
        else:
            png = source.read(name)
            storage.write(name, png)
            opened = io.BytesIO(png)
    except FileNotFoundError:
        return None
    with opened as picture:
        size = _size(picture)
        if size is None:
            return None
        return small_copy(storage, digest, size, picture, source, kept) or name, name, *size


def within(sources: Mapping[str, RunStorage]) -> Gallery:
    """Return pictures as data URLs, small enough that a file of many can be sent around.

    Args:
        sources: Sources by digest, the run that has the picture.
    """
    entries: dict[str, tuple[str, str, int, int]] = {}
    embedded = []
    number = max((_THREADS, *(one.threads for one in sources.values())))
    with ThreadPoolExecutor(number) as threads:
        found = threads.map(lambda digest: _embedded(digest, sources[digest]), sources)
        for digest, one in zip(sources, found, strict=True):
            if one is not None:
                entries[digest] = ("", "", *one[0])
                embedded.append(one[1])
    return Gallery(entries, tuple(embedded))


def _embedded(digest: str, source: RunStorage) -> tuple[tuple[int, int], str] | None:
    try:
        png = source.read(picture_name(digest))
    except FileNotFoundError:
        return None
    size = _size(io.BytesIO(png))
    if size is None:
        return None
    small = shrunk(png, EMBEDDED_SIZE)
    kind, content = ("png", png) if small is None or len(small) > len(png) else ("webp", small)
    return size, f"data:image/{kind};base64,{base64.b64encode(content).decode()}"


def _size(picture: BinaryIO) -> tuple[int, int] | None:
    try:
        header = read_header(picture, MOST_PIXELS)
    except ImageFaultError:
        return None
    return header.width, header.height
