"""ChartMimic as published: folders of programs with their pictures, and files of instructions.

Layouts, anywhere below a source::

    direct_600/ID.py        with  direct_600/ID.png         also direct_1800, and ori_500 of the first release
    customized_600/ID.py    with  customized_600/ID.png     also customized_1800, customized_500, edit_500
    dimentions_info.jsonl, dimentions_info_edit.jsonl       idx, width and height in inches, instruction

An instance of "customized" is drawn in the style of the picture of the same ID in the folder of "direct" that
has the same number. docs/chart.md says where these facts come from.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from i2s_sdk.data.imports.chart_items import TASK, data_files, json_lines, read_bytes
from i2s_sdk.data.imports.kind import Imported, ImportRequest
from i2s_sdk.data.imports.laying import ImportedItem, lay_down
from i2s_sdk.errors import DataError, UsageError

#: The tasks of the benchmark, which are the subsets of the data set.
TASKS = ("direct", "customized")
LICENCE = "Apache-2.0"  # by the README file of ChartMimic
#: Files with the sizes of figures, and the instructions of "customized".
SIZES, INSTRUCTIONS = "dimentions_info.jsonl", "dimentions_info_edit.jsonl"

_FOLDER = re.compile(r"(?P<kind>direct|ori|customized|edit)_(?P<number>\d+)")
_KINDS = {"direct": "direct", "ori": "direct", "customized": "customized", "edit": "customized"}


@dataclass(frozen=True, slots=True)
class _Source:
    """The parts of the source.

    Attributes:
        folders: Folders with programs, each with its task and number.
        about: What files of instructions say of an instance, by task and ID.
    """

    folders: Mapping[Path, tuple[str, str]]
    about: Mapping[tuple[str, str], Mapping[str, Any]] = field(default_factory=dict)

    def pictures_of_direct(self, number: str) -> list[Path]:
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
        if task not in TASKS:
            raise UsageError(f"ChartMimic has no task {task!r}; there are: {', '.join(TASKS)}")
    if request.images is not None:
        raise UsageError("chartmimic has no folder of images; leave --images out")
    source = _found(map(Path, request.sources))
    if not source.folders:
        raise DataError(
            Path(request.sources[0]), 0, "holds no folder such as direct_600 or customized_600 of ChartMimic"
        )
    return lay_down(_items(source, request.tasks or TASKS), request.out, ", ".join(request.sources))


def _found(sources: Iterable[Path]) -> _Source:
    folders: dict[Path, tuple[str, str]] = {}
    about: dict[tuple[str, str], Mapping[str, Any]] = {}
    for source in sources:
        if not source.exists():
            raise DataError(source, 0, "is not there")
        below = sorted(source.rglob("*")) if source.is_dir() else []
        for path in (source, *below):
            named = _FOLDER.fullmatch(path.resolve().name)
            if named and path.is_dir():
                folders[path] = (_KINDS[named["kind"]], named["number"])
            elif path.name in (SIZES, INSTRUCTIONS) and path.is_file():
                task = "customized" if path.name == INSTRUCTIONS else "direct"
                for _, row in json_lines(path):
                    about[task, str(row.get("idx"))] = row
    return _Source(folders, about)


def _items(source: _Source, wanted: Iterable[str]) -> Iterator[ImportedItem]:
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
    code = read_bytes(program)
    files = {"image": _picture(program.with_suffix(".png"))}
    inputs: dict[str, Any] = {}
    if task == "customized":
        instruction = about.get("instruction")
        if not isinstance(instruction, str) or not instruction.strip():
            raise ValueError(f"has no instruction; name {INSTRUCTIONS} of ChartMimic as a further source")
        inputs["instruction"] = instruction
        files["style"] = _style(source.pictures_of_direct(number), identity)
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


def _picture(path: Path) -> bytes:
    if not path.is_file():
        raise ValueError(f"has no picture {path.name}; convert {path.stem}.pdf to PNG if there is one")
    return read_bytes(path)


def _style(folders: Iterable[Path], identity: str) -> bytes:
    found = [path for folder in folders if (path := folder / f"{identity}.png").is_file()]
    if not found:
        raise ValueError(f"has no picture {identity}.png in the folder of direct with the same number")
    return read_bytes(found[0])
