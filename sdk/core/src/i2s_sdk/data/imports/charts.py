"""The chart benchmarks ChartMimic and Plot2Code as published: programs, images, files that they read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from i2s_sdk.data.hub import image_bytes
from i2s_sdk.data.imports.items import (
    Imported,
    ImportedItem,
    ImportRequest,
    is_within,
    lay_down,
    parquet_rows,
    read_bytes,
)
from i2s_sdk.errors import DataError, UsageError
from i2s_sdk.json_text import read_json

TASK = "chart"
#: Suffixes of files that programs read as data.
DATA_SUFFIXES = frozenset({".csv", ".tsv", ".txt", ".dat", ".json", ".npy", ".npz", ".xls", ".xlsx"})
#: The most bytes of one file of data.
MAX_DATA_BYTES = 16 * 2**20

_QUOTED = re.compile(r"""["']([^"'\n]{1,200})["']""")


def data_files(program: str, folder: Path) -> Mapping[str, bytes]:
    """Return the files of data that a program names and that lie in its folder, by their relative paths.

    Args:
        program: Its code. A file counts if its relative path is a text in quotes there.
        folder: Folder in which the program lies; nothing outside of it is read.

    Raises:
        ValueError: A file is too large or cannot be read.
    """
    files: dict[str, bytes] = {}
    root = folder.resolve()
    for name in sorted(set(_QUOTED.findall(program))):
        relative = Path(name)
        if relative.suffix.lower() not in DATA_SUFFIXES or relative.is_absolute():
            continue
        path = (root / relative).resolve()
        if not is_within(path, root) or not path.is_file():
            continue
        if path.stat().st_size > MAX_DATA_BYTES:
            raise ValueError(f"{name} has more than {MAX_DATA_BYTES} bytes")
        files[path.relative_to(root).as_posix()] = read_bytes(path, root)
    return files


def json_lines(file: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the objects of a file with one JSON object a line, each with the number of its line.

    Raises:
        DataError: The file cannot be read, or a line is not a JSON object; names it.
    """
    number = 0
    try:
        with file.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    row = read_json(line)
                    if not isinstance(row, dict):
                        raise DataError(file, number, "is not a JSON object")
                    yield number, row
    except OSError as error:
        raise DataError(file, number, f"cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise DataError(file, number, f"is not JSON: {error}") from None


#: The tasks of the benchmark, which are the subsets of the data set.
CHARTMIMIC_TASKS = ("direct", "customized")
LICENCE = "Apache-2.0"  # by the README file of ChartMimic
#: Files with the sizes of figures, and the instructions of "customized".
SIZES, INSTRUCTIONS = "dimentions_info.jsonl", "dimentions_info_edit.jsonl"

_FOLDER = re.compile(r"(?P<kind>direct|ori|customized|edit)_(?P<number>\d+)")
_KINDS = {"direct": "direct", "ori": "direct", "customized": "customized", "edit": "customized"}


@dataclass(frozen=True, slots=True)
class _Source:
    """The parts of the source."""

    #: Folders with programs, each with its task and number.
    folders: Mapping[Path, tuple[str, str]]
    #: What files of instructions say of an instance, by task and ID.
    about: Mapping[tuple[str, str], Mapping[str, Any]] = field(default_factory=dict)

    def images_of_direct(self, number: str) -> list[Path]:
        """Return the folders of "direct" with a number."""
        return [folder for folder, (task, one) in self.folders.items() if (task, one) == ("direct", number)]


def import_chartmimic(request: ImportRequest) -> Imported:
    """Make a data set of ChartMimic as it is published.

    Sources are folders in the layouts of this module, and files of instructions, which may lie elsewhere.

    Raises:
        UsageError: The output folder is not empty, or a task is unknown.
        DataError: A source cannot be read, or no program can be used.
        WriteError: The data set cannot be written.
    """
    for task in request.tasks:
        if task not in CHARTMIMIC_TASKS:
            raise UsageError(f"ChartMimic has no task {task!r}; there are: {', '.join(CHARTMIMIC_TASKS)}")
    source = _found(map(Path, request.sources))
    if not source.folders:
        raise DataError(
            Path(request.sources[0]), 0, "holds no folder such as direct_600 or customized_600 of ChartMimic"
        )
    return lay_down(
        _chartmimic_items(source, request.tasks or CHARTMIMIC_TASKS), request.out, ", ".join(request.sources)
    )


def _found(sources: Iterable[Path]) -> _Source:
    folders: dict[Path, tuple[str, str]] = {}
    about: dict[tuple[str, str], Mapping[str, Any]] = {}
    for source in sources:
        if not source.exists():
            raise DataError(source, 0, "is not there")
        below = sorted(source.rglob("*")) if source.is_dir() else []
        for path in (source, *below):
            named = _FOLDER.fullmatch(path.resolve().name)
            if named and path.is_dir() and is_within(path, source):
                folders[path] = (_KINDS[named["kind"]], named["number"])
            elif path.name in (SIZES, INSTRUCTIONS) and path.is_file():
                task = "customized" if path.name == INSTRUCTIONS else "direct"
                for _, row in json_lines(path):
                    about[task, str(row.get("idx"))] = row
    return _Source(folders, about)


def _chartmimic_items(source: _Source, wanted: Iterable[str]) -> Iterator[ImportedItem]:
    for folder, (task, number) in source.folders.items():
        if task in wanted:
            for program in sorted(folder.glob("*.py")):
                try:
                    yield _item(program, task, number, source)
                except ValueError as error:
                    yield ImportedItem(program.stem, str(program), fault=str(error))


def _item(program: Path, task: str, number: str, source: _Source) -> ImportedItem:
    """Return the item of a program.

    Raises:
        ValueError: A part of it is missing.
    """
    identity, about = program.stem, source.about.get((task, program.stem), {})
    code = read_bytes(program, program.parent)
    files = {"image": _rendered_image(program.with_suffix(".png"))}
    inputs: dict[str, Any] = {}
    if task == "customized":
        instruction = about.get("instruction")
        if not isinstance(instruction, str) or not instruction.strip():
            raise ValueError(f"has no instruction; name {INSTRUCTIONS} of ChartMimic as a further source")
        inputs["instruction"] = instruction
        files["style"] = _style(source.images_of_direct(number), identity)
    size = [about.get("width"), about.get("height")]
    if all(isinstance(one, int | float) and one > 0 for one in size):
        inputs["figure_size"] = size
    return ImportedItem(
        id=f"{task}_{number}-{identity}",
        where=str(program),
        task=TASK,
        subset=task,
        inputs=inputs,
        files=files,
        licence=LICENCE,
        provenance={
            "source": f"ChartMimic, {task}_{number}/{identity}",
            "chart_type": identity.rpartition("_")[0],
        },
        structure=code,
        assets=data_files(code.decode("utf-8", "replace"), program.parent),
    )


def _rendered_image(path: Path) -> bytes:
    if not path.is_file():
        raise ValueError(f"has no image {path.name}; convert {path.stem}.pdf to PNG if there is one")
    return read_bytes(path, path.parent)


def _style(folders: Iterable[Path], identity: str) -> bytes:
    images = [path for folder in folders if (path := folder / f"{identity}.png").is_file()]
    if not images:
        raise ValueError(f"has no image {identity}.png in the folder of direct with the same number")
    return read_bytes(images[0], images[0].parent)


#: The settings of the benchmark in which an image is shown, which are the subsets of the data set.
PLOT2CODE_TASKS = ("direct", "conditional")
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
        if task not in PLOT2CODE_TASKS:
            raise UsageError(f"Plot2Code has no task {task!r}; there are: {', '.join(PLOT2CODE_TASKS)}")
    items = _plot2code_items([Path(source) for source in request.sources], request.tasks or PLOT2CODE_TASKS)
    return lay_down(items, request.out, ", ".join(request.sources))


def _plot2code_items(sources: Sequence[Path], wanted: Sequence[str]) -> Iterator[ImportedItem]:
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
    files = [path for path in source.rglob("*") if path.suffix == ".parquet" or path.name == METADATA]
    files = sorted(path for path in files if not OTHER_CONFIGURATIONS.intersection(path.parts))
    if not files:
        raise DataError(source, 0, f"holds neither Parquet files nor {METADATA} of Plot2Code")
    return files


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
    image = _image(file.parent, named) if isinstance(named, str) else image_bytes(columns.get("image"))
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
    if not (folder / name).is_file():
        raise ValueError(f"its image {name[:200]!r} is not there")
    return read_bytes(folder / name, folder)
