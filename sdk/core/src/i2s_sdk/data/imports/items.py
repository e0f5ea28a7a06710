"""The items of an import: its kind, rows of Parquet files, and a data set written item by item."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from i2s_sdk.data.folder import INDEX, read_lines
from i2s_sdk.data.format_2 import Line, line, new_folder, put_by_content
from i2s_sdk.errors import DataError, require_package
from i2s_sdk.instances.images import ImageFaultError, read_header
from i2s_sdk.instances.instance import Content
from i2s_sdk.instances.pdf import pdf_fault
from i2s_sdk.tasks.ocr_page import OcrPage
from i2s_sdk.tasks.registry import task_spec


@dataclass(frozen=True, slots=True)
class ImageReader:
    """A program that reads the words of an image."""

    #: Its name and version.
    engine: str
    #: Returns the lines of an image, which is given encoded.
    read: Callable[[bytes], OcrPage]


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """The sources of an import, and where the data set goes."""

    #: Files, folders, or names of data sets.
    sources: tuple[str, ...]
    #: Folder of the data set; must not exist, or be empty.
    out: Path
    #: Folder of images that the sources name; None if they have them inside.
    images: Path | None = None
    #: Tasks that are taken; none means all.
    tasks: tuple[str, ...] = ()
    #: Reads images whose ground truth is not at hand; None leaves them out.
    ocr: ImageReader | None = None


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of an import."""

    #: How many the data set has.
    instances: int
    #: Items that it does not have, each with the reason.
    left_out: tuple[str, ...] = ()


#: Makes a data set; raises UsageError, DataError or WriteError if that cannot be done.
Importer = Callable[[ImportRequest], Imported]

#: Rows in memory at a time.
BATCH = 16


def parquet_rows(file: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the rows of a Parquet file, each with its number from 1.

    Raises:
        UsageError: The package that reads them is missing.
        DataError: The file cannot be read.
    """
    require_package("pyarrow", "parquet", "Parquet")
    import pyarrow  # type: ignore[import-untyped]
    from pyarrow import parquet

    number = 0
    try:
        with parquet.ParquetFile(file) as table:
            for batch in table.iter_batches(batch_size=BATCH):
                for columns in batch.to_pylist():
                    number += 1
                    yield number, columns
    except (OSError, ValueError, OverflowError, pyarrow.ArrowException) as error:  # also of texts and times
        raise DataError(file, number, f"cannot be read: {' '.join(str(error).split())[:300]}") from None


_SUFFIXES = {"image/png": ".png", "image/jpeg": ".jpg", "image/webp": ".webp"}


@dataclass(frozen=True, slots=True)
class ImportedItem:
    """An item of a benchmark as it was read."""

    #: Unique within the data set.
    id: str
    #: Place that it was read from, for people.
    where: str
    #: Name of its task.
    task: str = ""
    #: Name of its subset.
    subset: str = ""
    #: Inputs as the task's schema has them, without those that are files.
    inputs: Mapping[str, Any] = field(default_factory=dict)
    #: Inputs that are files, by name: their content, which is PNG, JPEG or WebP.
    files: Mapping[str, bytes] = field(default_factory=dict)
    #: Target as the task's schema has it; None if it is not known, or is ``structure``.
    target: Any = None
    #: Licence of inputs and target; empty if it is not known.
    licence: str = ""
    #: Where they come from.
    provenance: Mapping[str, Any] = field(default_factory=dict)
    #: Why there is no item here; empty if there is one.
    fault: str = ""
    #: Inputs that are PDF files, by name: where they lie, within ``root``.
    documents: Mapping[str, Path] = field(default_factory=dict)
    #: Folder of the source of ``documents``.
    root: Path = Path()
    #: The ground truth as the content of a file; None if it is ``target``.
    structure: bytes | None = None
    #: Files that the answer may use, by the relative path by which it refers to them.
    assets: Mapping[str, bytes] = field(default_factory=dict)


def lay_down(items: Iterable[ImportedItem], out: Path, source: str) -> Imported:
    """Make a data set of items.

    An item is left out if something is wrong with it: its file, its image or document, its inputs or target,
    or its id, which an earlier item has.

    Args:
        items: Items in the order of the data set.
        out: Its folder, which must not exist or be empty.
        source: Source of the items, for people.

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
    """Write the files of an item and return its line.

    Raises:
        ValueError: An image or document is none, or the line is not as the task's schemas have it.
    """
    inputs, target = dict(item.inputs), item.target
    for name, content in item.files.items():
        try:
            suffix = _SUFFIXES[read_header(content).media_type]
        except ImageFaultError as error:
            raise ValueError(f"{name}: the file {error}") from None
        inputs[name] = put_by_content(out, "images", content, suffix)
    for name, path in item.documents.items():
        content = read_bytes(path, item.root)
        if said := pdf_fault(path):
            raise ValueError(f"{name} {path.name}: {said}")
        inputs[name] = put_by_content(out, "documents", content, ".pdf")
    if item.assets:
        inputs["assets"] = [
            {"name": name, "path": put_by_content(out, "assets", content, PurePosixPath(name).suffix)}
            for name, content in sorted(item.assets.items())
        ]
    if item.structure is not None:
        spec = task_spec(item.task)
        if said := spec.structure_fault(Content(structure=item.structure.decode("utf-8", "replace"))):
            raise ValueError(f"the gold text {said}")
        target = {"structure": put_by_content(out, "structures", item.structure, spec.structure_suffix)}
    return line(
        item.id,
        item.task,
        item.subset,
        inputs,
        target,
        licence=item.licence,
        provenance=item.provenance,
    )


#: A snapshot in the cache of Hugging Face, whose files are links to others of its repository.
_SNAPSHOT = re.compile(r"(.*/datasets--[^/]+)/snapshots/[^/]+(/.*)?")


def is_within(path: Path, root: Path) -> bool:
    """Return whether a file lies in a folder, wherever links lead to."""
    folder = os.path.realpath(root)
    cached = _SNAPSHOT.fullmatch(folder)
    return Path(os.path.realpath(path)).is_relative_to(cached[1] if cached else folder)


def read_bytes(path: Path, root: Path) -> bytes:
    """Return the content of a file of an item.

    Args:
        path: The file, which a source may have named.
        root: Folder of the source; nothing outside of it is read.

    Raises:
        ValueError: It lies outside, or cannot be read.
    """
    if not is_within(path, root):
        raise ValueError(f"{path.name} lies outside of the folder {root.name}")
    try:
        return path.read_bytes()
    except OSError as error:
        raise ValueError(f"{path.name} cannot be read: {error.strerror}") from None
