"""The Sheet Music Benchmark as published at Hugging Face: Parquet files of pages with ``**kern``.

A row is a page: ``image``, ``page`` with ``kern``, ``regions`` with ``bbox`` and ``kern``, ``page_texture``,
``original_width`` and ``original_height``. The data set is gated and its licence forbids commercial use.

Source: the data set card of PRAIG/SMB, and programs that read it; arXiv 2506.10488.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from i2s_sdk.data.hub import PREFIX, image_bytes
from i2s_sdk.data.imports.items import Imported, ImportedItem, ImportRequest, lay_down, parquet_rows
from i2s_sdk.errors import DataError, require_package
from i2s_sdk.scoring.omr_ned import as_kern

_TASK, SPLIT = "omr", "test"
LICENCE = "CC-BY-NC-4.0"  # by the data set card
#: The subset of pages whose texture is not known.
PAGES = "pages"

_OTHER_CHARACTERS = re.compile(r"[^a-z0-9]+")


def import_smb(request: ImportRequest) -> Imported:
    """Make a data set of pages; the subset of a page is its texture.

    Sources are Parquet files, folders with such files below them, or ``hf:PRAIG/SMB``, which is downloaded
    with the credentials of the user.

    Raises:
        UsageError: The output folder is not empty, or a package is missing.
        DataError: A source cannot be read, or no page can be used.
        WriteError: The data set cannot be written.
    """
    return lay_down(_items(request.sources), request.out, ", ".join(request.sources))


def _items(sources: tuple[str, ...]) -> Iterator[ImportedItem]:
    number = 0
    for source in sources:
        rows = _hub_rows(source) if source.startswith(PREFIX) else _local_rows(Path(source))
        for where, columns in rows:
            number += 1
            identity = f"smb-{number:04d}"
            try:
                yield _item(columns, identity, where)
            except ValueError as error:
                yield ImportedItem(identity, where, fault=str(error))


def _local_rows(source: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    files = [source] if source.is_file() else sorted(source.rglob("*.parquet"))
    if not files:
        raise DataError(source, 0, "holds no Parquet file of SMB")
    for file in files:
        for number, columns in parquet_rows(file):
            yield f"{file}:{number}", columns


def _hub_rows(source: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    require_package("datasets", "hub", f"data set {source!r}")
    import datasets  # type: ignore[import-untyped]

    try:
        rows = datasets.load_dataset(source.removeprefix(PREFIX), split=SPLIT)
    except Exception as error:
        # The library raises errors of its own, of the hub's client, of pyarrow and of the system.
        said = " ".join(str(error).split())[:300] or type(error).__name__
        raise DataError(Path(source), 0, f"cannot be loaded: {said}") from None
    # The files are taken as they are; decoding and encoding again would make others of them.
    rows = rows.cast_column("image", datasets.Image(decode=False))
    for number, columns in enumerate(rows, start=1):
        yield f"{source}:{number}", columns


def _item(columns: Mapping[str, Any], identity: str, where: str) -> ImportedItem:
    """Return the item of a page.

    Raises:
        ValueError: It has no image or no transcription.
    """
    texture = _OTHER_CHARACTERS.sub("-", str(columns.get("page_texture") or "").lower()).strip("-")
    return ImportedItem(
        id=identity,
        where=where,
        task=_TASK,
        subset=texture or PAGES,
        files={"image": image_bytes(columns.get("image"))},
        licence=LICENCE,
        provenance={"source": f"PRAIG/SMB, {where.rpartition('/')[2]}"},
        structure=as_kern(_kern(columns)).encode("utf-8", "replace"),
    )


def _kern(columns: Mapping[str, Any]) -> str:
    """Return the transcription of a page: its own, or that of its only region.

    Those of several regions are not joined: spines of one do not go on in the next.

    Raises:
        ValueError: There is none.
    """
    regions = columns.get("regions")
    several = [region for region in regions if isinstance(region, dict)] if isinstance(regions, list) else []
    places = [columns.get("page"), columns, *(several if len(several) == 1 else ())]
    for place in places:
        kern = place.get("kern") if isinstance(place, Mapping) else None
        if isinstance(kern, str) and kern.strip():
            return kern
    raise ValueError("the row has no **kern of the page")
