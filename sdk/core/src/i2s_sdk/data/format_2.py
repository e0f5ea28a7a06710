"""Data format 2: lines as they are written, and new folders of data sets, which are whole or not there."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from i2s_sdk.data.folder import INDEX, index_of, inputs_fault, read_folder, read_index, target_fault
from i2s_sdk.errors import UsageError
from i2s_sdk.files import writing
from i2s_sdk.json_text import read_json
from i2s_sdk.tasks.registry import task_spec
from i2s_sdk.tasks.spec import file_names


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """Make a folder for a data set; if the block ends with an error nothing of it stays.

    Args:
        folder: Must not exist, or be empty.

    Raises:
        UsageError: The folder is not empty.
        WriteError: It cannot be written.
    """
    with writing(folder):
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise UsageError(f"{folder} is there already and not empty; name a new folder")
        folder.mkdir(parents=True, exist_ok=True)
        try:
            yield folder
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)  # it was not there, or empty
            raise


def write_index(folder: Path, lines: Iterable[Mapping[str, Any]]) -> int:
    """Write the index of a data set, read it again and return how many instances it has.

    Args:
        folder: Folder in which the files of the lines lie, or are written while the lines are taken.
        lines: Lines of data format 2.

    Raises:
        DataError: A line is not as its task wants it, or there is none; names it.
    """
    with (folder / INDEX).open("w", encoding="utf-8") as index:
        for line in lines:
            index.write(json.dumps(line, ensure_ascii=False) + "\n")
    return len(read_folder(folder).instances)


def put_by_content(folder: Path, part: str, content: bytes, suffix: str) -> str:
    """Write a file under the SHA-256 of its content and return its path relative to the folder."""
    name = f"{part}/{hashlib.sha256(content).hexdigest()}{suffix}"
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    return name


#: A line of an index.
Line = dict[str, Any]


def line(
    identity: str,
    task: str,
    subset: str,
    inputs: Mapping[str, Any],
    target: object = None,
    *,
    difficulty: str = "",
    licence: str = "",
    provenance: Mapping[str, Any] | None = None,
) -> Line:
    """Return a line of format 2; what is empty is left out.

    Args:
        identity: Unique within the data set.
        task: Name of the task.
        subset: Name of the subset.
        inputs: Inputs as the task's schema has them; paths are relative to the data set.
        target: The same; None if it is not known.
        difficulty: "easy", "medium" or "hard".
        licence: Licence of inputs and target, such as "CC-BY-4.0".
        provenance: Where they come from.

    Raises:
        ValueError: Inputs or target are not as the schema has them.
    """
    fault = inputs_fault(task, inputs) or target_fault(task, target)
    if fault:
        raise ValueError(f"{identity}: {fault}")
    written: Line = {"id": identity, "task": task, "subset": subset, "inputs": dict(inputs)}
    optional = {"target": target, "difficulty": difficulty, "licence": licence, "provenance": provenance}
    return {**written, **{name: value for name, value in optional.items() if value not in (None, "", {})}}


def converted(row: Mapping[str, Any]) -> Line:
    """Return a line of format 1 in format 2; one of format 2 is returned as it is."""
    if "inputs" in row:
        return dict(row)
    inputs = {name: row[name] for name in ("image", "assets") if row.get(name)}
    target = {name: row[name] for name in ("structure", "text") if row.get(name) is not None}
    source = row.get("source")
    return line(
        row["id"],
        row["task"],
        row["subset"],
        inputs,
        target or None,
        difficulty=row.get("difficulty") or "",
        provenance={"source": source} if source else None,
    )


def convert(where: Path, out: Path, *, licence: str = "") -> int:
    """Copy a data set, in format 2, and return how many instances it has.

    Args:
        where: Its folder, or its index.
        out: The folder of the copy, which must not exist or be empty.
        licence: Licence of instances whose lines name none.

    Raises:
        DataError: The data set has a fault; names file and line.
        UsageError: The folder of the copy is not empty.
        WriteError: It cannot be written.
    """
    read_folder(where)  # so that every line is known to be right
    index = index_of(where)
    rows = [converted(read_json(raw)) for raw in read_index(index).split(b"\n") if raw.strip()]
    with new_folder(out):
        for row in rows:
            if licence:
                row.setdefault("licence", licence)
            for name in _files_of(row):
                (out / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(index.parent / name, out / name)
        return write_index(out, rows)


def _files_of(row: Line) -> Iterator[str]:
    """Yield the paths that a line of format 2 names."""
    spec, inputs = task_spec(row["task"]), row["inputs"]
    yield from (inputs[name] for name in file_names(spec.inputs) if name in inputs)
    yield from (asset["path"] for asset in inputs.get("assets") or [] if isinstance(asset, dict))
    target = row.get("target")
    if spec.structure_suffix and isinstance(target, dict) and target.get("structure"):
        yield target["structure"]
