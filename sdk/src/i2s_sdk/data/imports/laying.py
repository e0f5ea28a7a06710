"""Writes items one by one as a data set, and leaves those out that have a fault."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from i2s_sdk.data.folder import INDEX, read_lines
from i2s_sdk.data.format_2 import Line, line
from i2s_sdk.data.imports.kind import Imported
from i2s_sdk.data.new_folder import new_folder, put_by_content
from i2s_sdk.errors import DataError
from i2s_sdk.instances.images import ImageFaultError, read_header

_SUFFIXES = {"image/png": ".png", "image/jpeg": ".jpg", "image/webp": ".webp"}


@dataclass(frozen=True, slots=True)
class ImportedItem:
    """An item of a benchmark as it was read.

    Attributes:
        id: Unique within the data set.
        where: It was read from, for people.
        task: Name of its task.
        subset: Name of its subset.
        inputs: As the task's schema has them, without those that are files.
        files: Inputs that are files, by name: their content, which is PNG, JPEG or WebP.
        target: As the task's schema has it; None if it is not known.
        licence: Of inputs and target; empty if it is not known.
        provenance: Where they come from.
        fault: Why there is no item here; empty if there is one.
    """

    id: str
    where: str
    task: str = ""
    subset: str = ""
    inputs: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, bytes] = field(default_factory=dict)
    target: Any = None
    licence: str = ""
    provenance: Mapping[str, Any] = field(default_factory=dict)
    fault: str = ""


def lay_down(items: Iterable[ImportedItem], out: Path, source: str) -> Imported:
    """Make a data set of items.

    An item is left out if something is wrong with it: its file, its image, its inputs or target, or its id,
    which an earlier item has.

    Args:
        items: In the order of the data set.
        out: Its folder, which must not exist or be empty.
        source: Of the items, for people.

    Raises:
        DataError: No item can be used.
        UsageError: The folder is not empty.
        WriteError: It cannot be written.
    """
    left_out: list[str] = []
    seen: set[str] = set()
    with new_folder(out), (out / INDEX).open("w", encoding="utf-8") as index:
        for item in items:
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
            raise DataError(source, 0, f"holds no item that can be used{reason}")
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
