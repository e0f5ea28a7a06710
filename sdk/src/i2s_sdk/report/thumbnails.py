"""Small copies of large pictures, so that a page of many samples opens quickly."""

from __future__ import annotations

import io
from collections.abc import Iterable
from pathlib import Path

from PIL import Image

from i2s_sdk.runs.folder import picture_name, write_whole

#: Beside the pictures of a run.
THUMBNAILS = "thumbnails"

#: A picture within this size is shown as it is; a larger one is shrunk to fit.
WIDTH, HEIGHT = 960, 720

_MOST_PIXELS = 64_000_000  # of a picture that is opened here
_QUALITY = 85


def make_thumbnails(folder: Path, digests: Iterable[str]) -> dict[str, str]:
    """Make what is missing of the small copies and return their names, relative to the run folder.

    Args:
        folder: Of the run.
        digests: Of pictures; those that are small, unreadable or too large to open have no copy.
    """
    found: dict[str, str] = {}
    for digest in dict.fromkeys(digests):
        name = f"{THUMBNAILS}/{digest[:2]}/{digest}.webp"
        path = folder / name
        if not path.exists():
            small = _shrunk(folder / picture_name(digest))
            if small is None:
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, small)
        found[digest] = name
    return found


def _shrunk(path: Path) -> bytes | None:
    try:
        with Image.open(path) as picture:
            width, height = picture.size
            if (width <= WIDTH and height <= HEIGHT) or width * height > _MOST_PIXELS:
                return None
            small = picture.convert("RGB")
    except (OSError, ValueError, Image.DecompressionBombError):
        return None
    small.thumbnail((WIDTH, HEIGHT), Image.Resampling.LANCZOS, reducing_gap=2.0)
    content = io.BytesIO()
    small.save(content, "WEBP", quality=_QUALITY)
    return content.getvalue()
