"""Plot2Code as published: Parquet files, or a folder of images with ``metadata.jsonl``.

Columns are ``image``, ``url``, ``code`` and ``instruction``; ``metadata.jsonl`` has ``file_name`` for images.
Rows whose program is not for matplotlib are left out. docs/chart.md says where these facts come from.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from i2s_sdk.data.hub_row import picture_bytes
from i2s_sdk.data.imports.chart_items import TASK, data_files, json_lines, read_bytes
from i2s_sdk.data.imports.kind import Imported, ImportRequest
from i2s_sdk.data.imports.laying import ImportedItem, lay_down
from i2s_sdk.data.imports.parquet_rows import parquet_rows
from i2s_sdk.errors import DataError, UsageError

#: The settings of the benchmark in which an image is shown, which are the subsets of the data set.
TASKS = ("direct", "conditional")
#: The configurations with other libraries or languages, by the folders of their files.
OTHER_CONFIGURATIONS = frozenset({"python_plotly", "r_plotly"})
METADATA = "metadata.jsonl"
#: Licences of the programs by the hosts that they were taken from, by the data set card.
LICENCES = {"matplotlib.org": "BSD-3-Clause"}

_WANTED = "matplotlib"


def import_plot2code(request: ImportRequest) -> Imported:
    """Make a data set of Plot2Code as it is published; each row becomes an instance for each task.

    Sources are folders with Parquet files or with ``metadata.jsonl`` and its images, anywhere below them, or
    such files. Tasks are "direct" (the image alone) and "conditional" (the image and the instruction).

    Raises:
        UsageError: The output folder is not empty, a package is missing, or a task is unknown.
        DataError: A source cannot be read, or no row can be used.
        WriteError: The data set cannot be written.
    """
    for task in request.tasks:
        if task not in TASKS:
            raise UsageError(f"Plot2Code has no task {task!r}; there are: {', '.join(TASKS)}")
    if request.images is not None:
        raise UsageError("plot2code has no folder of images; leave --images out")
    items = _items([Path(one) for one in request.sources], request.tasks or TASKS)
    return lay_down(items, request.out, ", ".join(request.sources))


def _items(sources: Sequence[Path], wanted: Sequence[str]) -> Iterator[ImportedItem]:
    files = [file for source in sources for file in _files(source)]
    for file in files:
        rows = json_lines(file) if file.name == METADATA else parquet_rows(file)
        for number, columns in rows:
            where = f"{file}:{number}"
            identity = f"{file.stem}-{number}" if len(files) > 1 else str(number)
            try:
                yield from _of_row(columns, identity, where, file, wanted)
            except ValueError as error:
                yield ImportedItem(identity, where, fault=str(error))


def _files(source: Path) -> list[Path]:
    if source.is_file():
        return [source]
    found = [path for path in source.rglob("*") if path.suffix == ".parquet" or path.name == METADATA]
    found = sorted(path for path in found if not OTHER_CONFIGURATIONS.intersection(path.parts))
    if not found:
        raise DataError(source, 0, f"holds neither Parquet files nor {METADATA} of Plot2Code")
    return found


def _of_row(
    columns: Mapping[str, Any], identity: str, where: str, file: Path, wanted: Sequence[str]
) -> Iterator[ImportedItem]:
    """Yield the items of a row.

    Raises:
        ValueError: A part of it is missing, or it is for another library.
    """
    code, url = columns.get("code"), str(columns.get("url") or "")
    if not isinstance(code, str) or not code.strip():
        raise ValueError("the row has no code")
    if _WANTED not in url and _WANTED not in code:
        raise ValueError(f"the program is not for {_WANTED}")
    named = columns.get("file_name")
    image = _image(file.parent, named) if isinstance(named, str) else picture_bytes(columns.get("image"))
    instruction = columns.get("instruction")
    for task in wanted:
        if task == "conditional" and (not isinstance(instruction, str) or not instruction.strip()):
            raise ValueError("the row has no instruction")
        yield ImportedItem(
            id=f"{identity}-{task}",
            where=where,
            task=TASK,
            subset=task,
            inputs={"instruction": instruction} if task == "conditional" else {},
            files={"image": image},
            licence=LICENCES.get(urlsplit(url).hostname or "", ""),
            provenance={"source": f"Plot2Code, {url or 'source unknown'}"},
            structure=code.encode("utf-8", "replace"),
            assets=data_files(code, file.parent),
        )


def _image(folder: Path, name: str) -> bytes:
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()) or not path.is_file():
        raise ValueError(f"its image {name[:200]!r} is not there")
    return read_bytes(path)
