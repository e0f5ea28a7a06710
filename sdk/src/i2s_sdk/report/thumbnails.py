"""Small copies of large pictures, so that a page of many samples opens quickly."""

from __future__ import annotations

import io
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from PIL import Image

from i2s_sdk.runs.folder import picture_name, write_whole

#: Beside the pictures of a run.
THUMBNAILS = "thumbnails"

#: A picture within this size is shown as it is; a larger one is shrunk to fit.
WIDTH, HEIGHT = 960, 720

_MOST_PIXELS = 64_000_000  # of a picture that is opened here
_QUALITY = 85
_THREADS = 4  # Pillow lets go of the interpreter while it works


def make_thumbnails(folder: Path, digests: Iterable[str]) -> dict[str, str]:
    """Make what is missing of the small copies and return their names, relative to the run folder.

    Args:
        folder: Of the run.
        digests: Of pictures; those that are small, unreadable or too large to open have no copy.
    """
    wanted = list(dict.fromkeys(digests))
    with ThreadPoolExecutor(_THREADS) as threads:
        made = threads.map(lambda digest: _make(folder, digest), wanted)
        return {digest: name for digest, name in zip(wanted, made, strict=True) if name}


def _make(folder: Path, digest: str) -> str:
    """Return the name of a small copy, made where it is missing; empty where there is none."""
    name = f"{THUMBNAILS}/{digest[:2]}/{digest}.webp"
    path = folder / name
    if not path.exists():
        try:
            small = shrunk((folder / picture_name(digest)).read_bytes(), (WIDTH, HEIGHT))
        except OSError:
            return ""
        if small is None:
            return ""
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, small)
    return name


def shrunk(content: bytes, size: tuple[int, int]) -> bytes | None:
    """Return a picture as WebP within a size; None where it fits already, or cannot be opened.

    Args:
        content: Of the picture's file.
        size: Largest width and height in pixels.
    """
    try:
        with Image.open(io.BytesIO(content)) as picture:
            width, height = picture.size
            if (width <= size[0] and height <= size[1]) or width * height > _MOST_PIXELS:
                return None
            small = picture.convert("RGB")
    except (OSError, ValueError, Image.DecompressionBombError):
        return None
    small.thumbnail(size, Image.Resampling.LANCZOS, reducing_gap=2.0)
    out = io.BytesIO()
    small.save(out, "WEBP", quality=_QUALITY)
    return out.getvalue()
