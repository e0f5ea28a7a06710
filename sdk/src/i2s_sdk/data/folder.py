"""A data set in a folder: ``instances.jsonl`` and the files that it names."""

from __future__ import annotations

import difflib
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from i2s_sdk.data.instance import TASKS, Asset, Instance
from i2s_sdk.errors import DataError

INDEX = "instances.jsonl"

_REQUIRED = ("id", "task", "subset", "image")
_OPTIONAL = ("difficulty", "structure", "text", "assets", "source")
_MAX_ID_BYTES = 256  # so that it fits a request


@dataclass(frozen=True, slots=True)
class DataSet:
    """Instances in the order of their file.

    Attributes:
        folder: Where it lies.
        instances: All of them.
        sha256: Of the index file.
    """

    folder: Path
    instances: tuple[Instance, ...]
    sha256: str


def read_folder(folder: Path) -> DataSet:
    """Return the data set in a folder.

    Every file named in the index is looked for, none is read.

    Raises:
        DataError: Something is missing, malformed or outside the folder; names file and line.
    """
    index = folder / INDEX
    try:
        raw = index.read_bytes()
    except OSError as error:
        raise DataError(
            index, 0, f"cannot be read: {error.strerror}; a data set is a folder with {INDEX}"
        ) from None
    root = folder.resolve()
    instances: dict[str, Instance] = {}
    lines: dict[str, int] = {}
    for number, line in enumerate(raw.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            instance = _instance(_object(line), root)
        except ValueError as error:
            raise DataError(index, number, str(error)) from None
        if instance.id in instances:
            raise DataError(index, number, f"id {instance.id!r} stands in line {lines[instance.id]} already")
        instances[instance.id], lines[instance.id] = instance, number
    if not instances:
        raise DataError(index, 0, "holds no instance")
    return DataSet(folder, tuple(instances.values()), hashlib.sha256(raw).hexdigest())


def _object(line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError:
        raise ValueError("is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"is not JSON: {error.msg} at column {error.colno}") from None
    if not isinstance(found, dict):
        raise ValueError("is not a JSON object")
    known = (*_REQUIRED, *_OPTIONAL)
    for name in found:
        if name not in known:
            close = difflib.get_close_matches(name, known, n=1)
            meant = f"; did you mean {close[0]!r}?" if close else f"; there are: {', '.join(known)}"
            raise ValueError(f"no field is called {name!r}{meant}")
    for name in _REQUIRED:
        if not isinstance(found.get(name), str) or not found[name]:
            raise ValueError(f"field {name!r} must be a text that is not empty")
    for name in ("difficulty", "structure", "text", "source"):
        if not isinstance(found.get(name), str | None):
            raise ValueError(f"field {name!r} must be a text or null")
    return found


def _instance(fields: dict[str, Any], root: Path) -> Instance:
    identity, task = fields["id"], fields["task"]
    if not identity.isprintable() or len(identity.encode()) > _MAX_ID_BYTES:
        raise ValueError(f"id {identity!r} must be printable and at most {_MAX_ID_BYTES} bytes")
    if task not in TASKS:
        raise ValueError(f"no task is called {task!r}; there are: {', '.join(TASKS)}")
    structure = fields.get("structure")
    return Instance(
        id=identity,
        task=task,
        subset=fields["subset"],
        image=_inside(root, fields["image"], "image"),
        difficulty=fields.get("difficulty") or "",
        structure=None if structure is None else _inside(root, structure, "structure"),
        text=fields.get("text"),
        assets=_assets(fields.get("assets") or [], root),
        source=fields.get("source") or "",
    )


def _assets(raw: object, root: Path) -> tuple[Asset, ...]:
    if not isinstance(raw, Sequence) or isinstance(raw, str):
        raise ValueError("field 'assets' must be a list")
    found: list[Asset] = []
    for one in raw:
        match one:
            case str():
                found.append(Asset(one))
            case {"name": str(name), "path": str(path), **rest} if not rest:
                found.append(Asset(name, _inside(root, path, "assets")))
            case _:
                raise ValueError(f"asset {one!r} must be a name, or an object of 'name' and 'path'")
    return tuple(found)


def _inside(root: Path, relative: str, field: str) -> Path:
    """Return the file that a path of the index names.

    Raises:
        ValueError: It is no file, or not inside the folder, links followed.
    """
    if "\0" in relative or Path(relative).is_absolute():
        raise ValueError(f"{field} {relative!r} must be a path relative to the folder")
    try:
        path = (root / relative).resolve()
        if not path.is_relative_to(root):
            raise ValueError(f"{field} {relative!r} leads out of the folder")
        if path.is_file():
            return path
    except (OSError, RuntimeError):  # a name that is too long, links in a circle
        pass
    raise ValueError(f"{field} {relative!r} is not a file of the folder")
