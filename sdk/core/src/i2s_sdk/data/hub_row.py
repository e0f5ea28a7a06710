"""One row of a data set of Hugging Face, in the columns that the benchmark has, read with care.

What stands in a row was made elsewhere: archives are read in memory within bounds, pictures are told by their
first bytes, and nothing of a row is ever taken as the path of a file.

Source: columns of stanford-crfm/i2s-latex, i2s-webpage and i2s-musicsheet, split ``validation``.
"""

from __future__ import annotations

import base64
import binascii
import gzip
import io
import re
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from i2s_sdk.instances.site_files import MAX_BYTES, read_repository
from i2s_sdk.json_text import read_json
from i2s_sdk.tasks.registry import task_spec

#: Files of a repository that a model may use.
ASSET_SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".ico", ".bmp", ".tiff")
#: The most bytes of a reference picture.
MAX_PICTURE_BYTES = 64 * 1024 * 1024

_KINDS = {b"\x89PNG\r\n\x1a\n": ".png", b"\xff\xd8\xff": ".jpg"}
_NOTHING = ("", "null", "None", '""')
_ID_BYTES = 256


@dataclass(frozen=True, slots=True)
class Row:
    """What an instance is made of.

    Attributes:
        id: The uuid.
        subset: The category.
        difficulty: Empty if unknown.
        picture: The reference, encoded as it came.
        picture_suffix: Suffix of its kind, such as ".png".
        structure: Ground truth: LaTeX or LilyPond in UTF-8, a .tar.gz of a site; None if there is none.
        text: Text of the picture; None if unknown.
        assets: Names of files in the archive that a model may use.
        source: Where it was found.
        left_out: Names of links and the like that the archive held.
    """

    id: str
    subset: str
    difficulty: str
    picture: bytes = field(repr=False)
    picture_suffix: str
    structure: bytes | None = field(repr=False)
    text: str | None
    assets: tuple[str, ...]
    source: str
    left_out: tuple[str, ...] = ()


def read_row(columns: Mapping[str, Any], task: str, subset: str) -> Row:
    """Return what a row holds.

    Args:
        columns: Columns by name; the picture as an object of ``bytes`` and ``path``.
        task: Task of the data set.
        subset: Subset of a row without a category.

    Raises:
        ValueError: A column is missing or not what it should be.
    """
    identity = plain(columns.get("uuid"))
    if identity is None or not identity.isprintable() or len(identity.encode("utf-8", "replace")) > _ID_BYTES:
        raise ValueError(
            f"uuid {repr(columns.get('uuid'))[:100]} is not a printable text of at most {_ID_BYTES} bytes"
        )
    picture = picture_bytes(columns.get("image"))
    structure, assets, left_out = _structure(_verbatim(columns.get("structure")), task)
    return Row(
        id=identity,
        subset=plain(columns.get("category")) or subset,
        difficulty=plain(columns.get("difficulty")) or "",
        picture=picture,
        picture_suffix=suffix_of_picture(picture),
        structure=structure,
        text=_verbatim(columns.get("text")),
        assets=assets,
        source=plain(columns.get("download_url")) or "",
        left_out=left_out,
    )


def plain(value: object) -> str | None:
    """Return the text of a column of metadata, which are JSON dumps: without their quotes.

    Returns:
        None for what means nothing.

    Raises:
        ValueError: It is no text.
    """
    text = _verbatim(value)
    if text is None or not text.startswith('"'):
        return text
    try:
        inner = read_json(text)
    except ValueError:
        return text.strip('"')
    return inner if isinstance(inner, str) and inner else None


def _verbatim(value: object) -> str | None:
    if value is None or value in _NOTHING:
        return None
    if not isinstance(value, str):
        raise ValueError(f"{repr(value)[:60]} is not a text")
    return value


def picture_bytes(value: object) -> bytes:
    """Return the bytes of a picture of a row; a path is never followed, whatever it names.

    Raises:
        ValueError: There is none, or it is too large.
    """
    match value:
        case {"bytes": bytes(content)} if content:
            pass
        case {"path": str()}:
            raise ValueError(
                "the picture is not in the data set, only its path; save the data set with pictures"
            )
        case _:
            raise ValueError("the row has no picture")
    if len(content) > MAX_PICTURE_BYTES:
        raise ValueError(f"the picture has {len(content)} bytes, more than {MAX_PICTURE_BYTES}")
    return content


def suffix_of_picture(picture: bytes) -> str:
    """Return the suffix of a picture's kind, such as ".png".

    Raises:
        ValueError: It is of no kind that is read.
    """
    for magic, suffix in _KINDS.items():
        if picture.startswith(magic):
            return suffix
    if picture[:4] == b"RIFF" and picture[8:12] == b"WEBP":
        return ".webp"
    raise ValueError("the picture is neither PNG, JPEG nor WebP")


def _structure(value: str | None, task: str) -> tuple[bytes | None, tuple[str, ...], tuple[str, ...]]:
    """Return the ground truth, the names of its assets, and what was left out of its archive."""
    if value is None:
        return None, (), ()
    if not task_spec(task).structure_is_site:
        return value.encode("utf-8", "replace"), (), ()
    archive = _unbase64(value)
    try:
        files, left_out = read_repository(archive)
    except ValueError as error:
        raise ValueError(f"the archive {error}") from None
    return packed(files) if left_out else archive, asset_names(files), left_out


def _unbase64(value: str) -> bytes:
    if len(value) > MAX_BYTES:
        raise ValueError(f"the archive has more than {MAX_BYTES} characters")
    try:
        return base64.b64decode("".join(value.split()), validate=True)
    except (binascii.Error, ValueError):
        raise ValueError("the structure is not base64") from None


def asset_names(files: Mapping[str, bytes]) -> tuple[str, ...]:
    """Return the names of the pictures of a repository that a model may use, sorted.

    What lies in ``_site`` (made by Jekyll) or in a folder with a dot is none.
    """
    return tuple(
        sorted(
            name
            for name in files
            if PurePosixPath(name).suffix.lower() in ASSET_SUFFIXES
            and not re.match(r"(_site|\.)[^/]*/", name)
        )
    )


def packed(files: Mapping[str, bytes]) -> bytes:
    """Return a .tar.gz of files alone, the same for the same files."""
    content = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=content, mode="wb", mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w") as archive,
    ):
        for name, raw in sorted(files.items()):
            member = tarfile.TarInfo(name)
            member.size = len(raw)
            archive.addfile(member, io.BytesIO(raw))
    return content.getvalue()
