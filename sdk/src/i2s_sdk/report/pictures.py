"""The pictures of a report: beside it as files, or within it."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from PIL import Image

from i2s_sdk.report.thumbnails import make_thumbnails, shrunk
from i2s_sdk.runs.folder import picture_name, write_whole

#: A picture within a file is shrunk to fit this.
EMBEDDED_SIZE = (720, 540)

#: Returns a picture by its digest; None where it is gone.
Source = Callable[[str], bytes | None]


@dataclass(frozen=True, slots=True)
class Gallery:
    """The pictures that a report can show.

    Attributes:
        entries: By digest: name of the file shown and of the whole picture (both empty where it is within
            the report), width and height of the whole picture.
        embedded: Data URLs, in the order of ``entries``; empty where pictures are files.
    """

    entries: Mapping[str, tuple[str, str, int, int]]
    embedded: tuple[str, ...] = field(default=())


def beside(folder: Path, digests: Mapping[str, Source]) -> Gallery:
    """Put pictures and small copies into the folder of a report, those that are not there yet.

    Args:
        folder: Of the report.
        digests: Where each picture is from.
    """
    sizes: dict[str, tuple[int, int]] = {}
    for digest, source in digests.items():
        path = folder / picture_name(digest)
        if not path.exists():
            png = source(digest)
            if png is None:
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, png)
        size = _size(path)
        if size is not None:
            sizes[digest] = size
    small = make_thumbnails(folder, sizes)
    return Gallery(
        {
            digest: (small.get(digest, picture_name(digest)), picture_name(digest), *size)
            for digest, size in sizes.items()
        }
    )


def within(digests: Mapping[str, Source]) -> Gallery:
    """Return pictures as data URLs, small enough that a file of many can be sent around.

    Args:
        digests: Where each picture is from.
    """
    entries: dict[str, tuple[str, str, int, int]] = {}
    embedded = []
    for digest, source in digests.items():
        png = source(digest)
        size = _size(io.BytesIO(png)) if png is not None else None
        if png is None or size is None:
            continue
        small = shrunk(png, EMBEDDED_SIZE)
        kind, content = ("png", png) if small is None or len(small) > len(png) else ("webp", small)
        entries[digest] = ("", "", *size)
        embedded.append(f"data:image/{kind};base64,{base64.b64encode(content).decode()}")
    return Gallery(entries, tuple(embedded))


def _size(picture: Path | io.BytesIO) -> tuple[int, int] | None:
    try:
        with Image.open(picture) as opened:
            return opened.size
    except (OSError, ValueError, Image.DecompressionBombError):
        return None
