"""Writes the items of an import as a data set: an index, and images that are named by their content."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from i2s_sdk.data.folder import INDEX, read_lines
from i2s_sdk.data.format_2 import Line, line
from i2s_sdk.data.imports.kind import ImportedItem, ImportKind
from i2s_sdk.data.new_folder import new_folder, put_by_content
from i2s_sdk.errors import DataError
from i2s_sdk.instances.images import ImageFaultError, read_header

_SUFFIXES = {"image/png": ".png", "image/jpeg": ".jpg", "image/webp": ".webp"}


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import made.

    Attributes:
        instances: How many the data set has.
        left_out: Items that it does not have, each with the reason.
    """

    instances: int
    left_out: tuple[str, ...]


def import_data(kind: ImportKind, sources: Sequence[Path], out: Path, images: Path | None = None) -> Imported:
    """Make a data set of the files of another benchmark.

    An item is left out if something is wrong with it: its file, its image, its inputs or target, or its id,
    which an earlier item has.

    Args:
        kind: Of the sources.
        sources: Files or folders.
        out: The folder of the data set, which must not exist or be empty.
        images: Folder of images that the sources name; None if they have them inside.

    Raises:
        DataError: A source cannot be read, or no item has no fault.
        UsageError: The folder is not empty.
        WriteError: It cannot be written.
    """
    with new_folder(out):
        return _laid(kind, tuple(sources), out, images)


def _laid(kind: ImportKind, sources: tuple[Path, ...], out: Path, images: Path | None) -> Imported:
    left_out: list[str] = []
    seen: set[str] = set()
    with (out / INDEX).open("w", encoding="utf-8") as index:
        for item in kind.read(sources, images):
            try:
                if item.fault or item.id in seen:
                    raise ValueError(item.fault or f"id {item.id!r} is that of an earlier item")
                written = json.dumps(_line(item, out)) + "\n"
                (read,) = read_lines(written.encode(), out)
                if read.fault:
                    raise ValueError(read.fault)
            except ValueError as error:
                left_out.append(f"{item.where}: {error}")
                continue
            seen.add(item.id)
            index.write(written)
    if not seen:
        reason = f": {left_out[0]}" if left_out else ""
        raise DataError(sources[0], 0, f"holds no item that can be used{reason}")
    return Imported(len(seen), tuple(left_out))


def _line(item: ImportedItem, out: Path) -> Line:
    """Write the images of an item and return its line.

    Raises:
        ValueError: An image is none, or the line is not as the task's schemas have it.
    """
    inputs = dict(item.inputs)
    for name, content in item.files.items():
        try:
            suffix = _SUFFIXES[read_header(content).media_type]
        except ImageFaultError as error:
            raise ValueError(f"{name}: the file {error}") from None
        inputs[name] = put_by_content(out, "images", content, suffix)
    return line(
        item.id,
        item.task,
        item.subset,
        inputs,
        item.target,
        licence=item.licence,
        provenance=item.provenance,
    )
