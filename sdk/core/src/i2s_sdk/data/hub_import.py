"""A data set of Hugging Face as a local data set: laid down once, then read like any other.

::

    FOLDER/instances.jsonl
    FOLDER/references/SHA256.png
    FOLDER/structures/SHA256.tex        or .tar.gz, .ly

Files are named by their content, so the SHA-256 of the index is that of the whole data set, on every machine.
The folder appears under its name when it is whole; of two processes that make the same one, one is kept.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from i2s_sdk.cache_folders import cache_folder
from i2s_sdk.data.folder import INDEX, DataSet, read_folder
from i2s_sdk.data.format_2 import line
from i2s_sdk.data.hub_files import Table, open_tables
from i2s_sdk.data.hub_name import PREFIX, HubName, parse_hub_name
from i2s_sdk.data.hub_row import Row, read_row
from i2s_sdk.data.new_folder import put_by_content
from i2s_sdk.data.origin import write_origin
from i2s_sdk.errors import DataError, UnknownNameError
from i2s_sdk.tasks.registry import task_spec

_FORMAT = "3"  # of the folder; another one makes it anew

#: A subset and its task.
Source = tuple[str, Table]

_log = logging.getLogger(__name__)


def default_home() -> Path:
    """Return where data sets are laid down if nobody says otherwise: i2s/datasets of the user's caches."""
    return cache_folder("datasets")


def read_hub(name: str, subsets: Sequence[str] = (), *, home: Path | None = None) -> DataSet:
    """Return a data set of Hugging Face.

    Args:
        name: Name as ``parse_hub_name`` has it.
        subsets: Subsets that are taken; none means all but the wild ones.
        home: Where data sets are laid down; None takes the user's caches.

    Raises:
        UsageError: The name is wrong, or the library is missing.
        UnknownNameError: There is no such subset.
        DataError: It cannot be loaded, or a row is not what it should be; names data set and row.
    """
    named = parse_hub_name(name)
    names = _share(named, subsets) if len(named) > 1 and subsets else [one.wanted(subsets) for one in named]
    tables = [(one.task, table) for one in names for table in open_tables(one)]
    title = Path(names[0].where).name if len(named) == 1 else name.removeprefix(PREFIX)
    folder = (home or default_home()) / f"{title}-{_key(tables)}"
    if not (folder / INDEX).is_file():
        _lay_down(tables, folder, [f"{PREFIX}{one.where}" for one in names if not one.local])
    return read_folder(folder)


def _share(names: Sequence[HubName], subsets: Sequence[str]) -> list[HubName]:
    """Return those of several repositories that have any of the subsets, each with its own of them."""
    specs = (task_spec(one.task) for one in names)
    known = {one.name: {*one.subsets, *one.wild_subsets} for one in specs}
    for subset in subsets:
        if not any(subset in some for some in known.values()):
            raise UnknownNameError("subset", subset, set().union(*known.values()))
    shared = ((one, [subset for subset in subsets if subset in known[one.task]]) for one in names)
    return [one.wanted(own) for one, own in shared if own]


def _key(tables: Sequence[Source]) -> str:
    """Return what tells these subsets, as they are now, from others."""
    lines = (f"{task}:{table.subset}:{table.fingerprint}:{table.length}" for task, table in tables)
    return hashlib.sha256("\n".join((_FORMAT, *lines)).encode()).hexdigest()[:16]


def _lay_down(tables: Sequence[Source], folder: Path, origin: Sequence[str]) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(dir=folder.parent, prefix=".part-"))
    try:
        with (scratch / INDEX).open("w", encoding="utf-8") as index:
            for task, row in _rows(tables):
                index.write(_line(row, task, scratch))
        write_origin(scratch, origin)
        with contextlib.suppress(OSError):  # another process was quicker
            os.rename(scratch, folder)
        if not (folder / INDEX).is_file():
            raise DataError(folder, 0, "cannot be written")
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _rows(tables: Sequence[Source]) -> Iterator[tuple[str, Row]]:
    """Yield the instances of all subsets, each with its task."""
    seen: dict[str, str] = {}
    for task, table in tables:
        taken = 0
        for number, row in _rows_of(table, task):
            if row.id in seen:
                raise DataError(
                    Path(table.label), number, f"uuid {row.id!r} stands in {seen[row.id]} already"
                )
            seen[row.id] = f"{table.label}:{number}"
            taken += 1
            yield task, row
        if not taken:
            raise DataError(Path(table.label), 0, f"holds no row of category {table.subset!r}")


def _rows_of(table: Table, task: str) -> Iterator[tuple[int, Row]]:
    """Yield the instances of a subset with the numbers of their rows.

    A row of another category than its subset is none of it, as in the reference implementation.
    """
    where = Path(table.label)
    for number, columns in enumerate(table.rows(), start=1):
        try:
            row = read_row(columns, task, table.subset)
        except ValueError as error:
            raise DataError(where, number, str(error)) from None
        if table.subset and row.subset != table.subset:
            continue
        if not row.subset:
            raise DataError(where, number, "the row has no category")
        for left in row.left_out:
            _log.warning("%s:%d: %s: left out of the archive: %r", where, number, row.id, left)
        yield number, row


def _line(row: Row, task: str, folder: Path) -> str:
    """Write the files of an instance and return its line of the index."""
    inputs: dict[str, object] = {
        "image": put_by_content(folder, "references", row.picture, row.picture_suffix)
    }
    target: dict[str, object] = {}
    if row.structure is not None:
        target["structure"] = put_by_content(
            folder, "structures", row.structure, task_spec(task).structure_suffix
        )
    if row.text is not None:
        target["text"] = row.text
    if row.assets:
        inputs["assets"] = list(row.assets)
    source = {"source": row.source} if row.source else None
    written = line(
        row.id, task, row.subset, inputs, target or None, difficulty=row.difficulty, provenance=source
    )
    return json.dumps(written) + "\n"
