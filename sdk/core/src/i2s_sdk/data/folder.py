"""A data set in a folder: ``instances.jsonl``, the files that it names, and the faults of its lines."""

from __future__ import annotations

import difflib
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from i2s_sdk.errors import DataError
from i2s_sdk.files import read_file
from i2s_sdk.instances.instance import Asset, Content, Instance
from i2s_sdk.instances.site_files import inside, read_tar
from i2s_sdk.json_text import read_json
from i2s_sdk.tasks.registry import SPECS, task_spec
from i2s_sdk.tasks.spec import file_names, without_files

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator


def read_content(instance: Instance) -> Content:
    """Return what the files of an instance hold.

    Raises:
        DataError: One cannot be read, or an archive is not what it should be; names the file.
    """
    structure = read_file(instance.structure) if instance.structure is not None else None
    site = None
    if structure is not None and task_spec(instance.task).structure_is_site:
        try:
            site = read_tar(structure)
        except ValueError as error:
            raise DataError(instance.structure or instance.file, 0, str(error)) from None
    return Content(
        reference=read_file(instance.image) if instance.image is not None else b"",
        structure=structure.decode("utf-8", "replace") if structure is not None and site is None else None,
        site=site,
        assets=_asset_contents(instance, site or {}),
        text=instance.text,
        target=instance.target,
        inputs=instance.inputs,
    )


def _asset_contents(instance: Instance, site: Mapping[str, bytes]) -> dict[str, bytes]:
    assets: dict[str, bytes] = {}
    for asset in instance.assets:
        where = asset.path or instance.structure or instance.file
        try:
            name = inside(asset.name)
        except ValueError as error:
            raise DataError(where, 0, f"asset of instance {instance.id!r}: {error}") from None
        if asset.path is not None:
            assets[name] = read_file(asset.path)
        elif name in site:
            assets[name] = site[name]
        else:
            raise DataError(
                where, 0, f"asset {asset.name!r} of instance {instance.id!r} is not in the archive"
            )
    return assets


#: Characters of a message, which quotes the value that is wrong.
_SHOWN = 200


def inputs_fault(task: str, inputs: object, *, with_files: bool = True) -> str:
    """Return what is wrong with inputs, empty for nothing.

    Args:
        task: Its name.
        inputs: Inputs as the line has them.
        with_files: Whether the files of an instance are required; a completion can be scored without.
    """
    return _fault(_validator(task, "inputs" if with_files else "inputs without files"), "inputs", inputs)


def target_fault(task: str, target: object) -> str:
    """Return what is wrong with a target, empty for nothing; a missing one (None) is nothing wrong."""
    return "" if target is None else _fault(_validator(task, "target"), "target", target)


@cache
def _validator(task: str, of: str) -> Draft202012Validator:
    from jsonschema import Draft202012Validator  # takes a tenth of a second

    spec = task_spec(task)
    schema = {
        "inputs": spec.inputs,
        "target": spec.target,
        "inputs without files": without_files(spec.inputs),
    }
    return Draft202012Validator(schema[of])


def _fault(validator: Draft202012Validator, field: str, value: object) -> str:
    from jsonschema.exceptions import best_match

    error = best_match(validator.iter_errors(value))
    if error is None:
        return ""
    where = error.json_path.replace("$", field, 1)
    said = error.message if len(error.message) <= _SHOWN else f"{error.message[:_SHOWN]}…"
    return f"{where}: {said}"


INDEX = "instances.jsonl"

#: Fields of a line of format 1 and of format 2: those that it must have, and those that it may have.
_FORMAT_1 = (
    ("id", "task", "subset", "image"),
    ("difficulty", "structure", "text", "assets", "source"),
)
_FORMAT_2 = (
    ("id", "task", "subset", "inputs"),
    ("difficulty", "target", "licence", "provenance"),
)
_TEXTS = frozenset({"id", "task", "subset", "image"})
_TEXTS_OR_NULL = ("difficulty", "structure", "text", "source", "licence")
_MAX_ID_BYTES = 256  # so that it fits a request


@dataclass(frozen=True, slots=True)
class DataSet:
    """Instances in the order of their file."""

    #: Where it lies; of an index of another name than the usual one, the index. It names the data set:
    #: ``read_folder`` opens it again.
    folder: Path
    #: All of them.
    instances: tuple[Instance, ...]
    #: SHA-256 of the index file.
    sha256: str


@dataclass(frozen=True, slots=True)
class IndexLine:
    """A line of the index: its instance, or what is wrong with it."""

    #: Counted from 1.
    number: int
    #: None if there is a fault.
    instance: Instance | None = None
    #: Empty if there is an instance.
    fault: str = ""


def read_folder(folder: Path) -> DataSet:
    """Return the data set in a folder, or of an index file of any name.

    Every file named in the index is looked for, none is read.

    Raises:
        DataError: Something is missing, malformed or outside the folder; names file and line.
    """
    index = index_of(folder)
    raw = read_index(index)
    instances: list[Instance] = []
    for line in read_lines(raw, index.parent):
        if line.instance is None:
            raise DataError(index, line.number, line.fault)
        instances.append(line.instance)
    if not instances:
        raise DataError(index, 0, "holds no instance")
    where = folder if index.name != INDEX else index.parent
    return DataSet(where, tuple(instances), hashlib.sha256(raw).hexdigest())


def index_of(where: Path) -> Path:
    """Return the index file of a data set that is named by its folder or by the index itself."""
    return where if where.is_file() else where / INDEX


def read_index(index: Path) -> bytes:
    """Return the content of an index file.

    Raises:
        DataError: It cannot be read.
    """
    try:
        return index.read_bytes()
    except OSError as error:
        raise DataError(
            index, 0, f"cannot be read: {error.strerror}; a data set is a folder with {INDEX}"
        ) from None


def read_lines(raw: bytes, folder: Path) -> Iterator[IndexLine]:
    """Yield what each line of an index says; empty lines are left out.

    Args:
        raw: Content of the index.
        folder: Folder in which its files lie.
    """
    root = folder.resolve()
    lines: dict[str, int] = {}
    for number, line in enumerate(raw.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            instance = _instance(_object(line), root)
        except ValueError as error:
            yield IndexLine(number, fault=str(error))
            continue
        if instance.id in lines:
            yield IndexLine(number, fault=f"id {instance.id!r} stands in line {lines[instance.id]} already")
            continue
        lines[instance.id] = number
        yield IndexLine(number, instance)


def _object(line: bytes) -> dict[str, Any]:
    try:
        fields = read_json(line.decode("utf-8"))
    except UnicodeDecodeError:
        raise ValueError("is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"is not JSON: {error.msg} at column {error.colno}") from None
    if not isinstance(fields, dict):
        raise ValueError("is not a JSON object")
    required, optional = _FORMAT_2 if "inputs" in fields else _FORMAT_1
    known = (*required, *optional)
    for name in fields:
        if name not in known:
            close = difflib.get_close_matches(name, known, n=1)
            meant = f"; did you mean {close[0]!r}?" if close else f"; there are: {', '.join(known)}"
            raise ValueError(f"no field is called {name!r}{meant}")
    for name in _TEXTS.intersection(required):
        if not isinstance(fields.get(name), str) or not fields[name]:
            raise ValueError(f"field {name!r} must be a text that is not empty")
    for name in _TEXTS_OR_NULL:
        if not isinstance(fields.get(name), str | None):
            raise ValueError(f"field {name!r} must be a text or null")
    if not isinstance(fields.get("inputs", {}), dict):
        raise ValueError("field 'inputs' must be an object")
    if not isinstance(fields.get("provenance"), dict | None):
        raise ValueError("field 'provenance' must be an object or null")
    return fields


def _instance(fields: dict[str, Any], root: Path) -> Instance:
    identity, task = fields["id"], fields["task"]
    if not identity.isprintable() or len(identity.encode()) > _MAX_ID_BYTES:
        raise ValueError(f"id {identity!r} must be printable and at most {_MAX_ID_BYTES} bytes")
    if task not in SPECS:
        raise ValueError(f"no task is called {task!r}; there are: {', '.join(SPECS)}")
    if "inputs" in fields:
        return _instance_of_format_2(fields, root)
    structure = fields.get("structure")
    image = _inside(root, fields["image"], "image")
    return Instance(
        id=identity,
        task=task,
        subset=fields["subset"],
        image=image,
        files={"image": image},
        difficulty=fields.get("difficulty") or "",
        structure=None if structure is None else _inside(root, structure, "structure"),
        text=fields.get("text"),
        assets=_read_assets(fields.get("assets") or [], root),
        source=fields.get("source") or "",
    )


def _instance_of_format_2(fields: dict[str, Any], root: Path) -> Instance:
    """Return the instance of a line with inputs and target.

    Of the inputs, ``image`` is the image that the model is shown, ``assets`` are files that it may use. The
    target of a task whose ground truth is a structure is an object of ``structure``, a file, and ``text``; a
    task may also accept the structure itself as a text.
    """
    spec, inputs, target = task_spec(fields["task"]), fields["inputs"], fields.get("target")
    fault = inputs_fault(spec.name, inputs) or target_fault(spec.name, target)
    if fault:
        raise ValueError(fault)
    structure = text = None
    if spec.structure_suffix and not isinstance(target, str):
        named = target or {}
        structure, text, target = named.get("structure"), named.get("text"), None
    files = {name: _inside(root, inputs[name], name) for name in file_names(spec.inputs) if name in inputs}
    instance = Instance(
        id=fields["id"],
        task=fields["task"],
        subset=fields["subset"],
        image=files.get("image"),
        files=files,
        difficulty=fields.get("difficulty") or "",
        structure=None if structure is None else _inside(root, structure, "structure"),
        text=text,
        assets=_read_assets(inputs.get("assets") or [], root),
        source=str((fields.get("provenance") or {}).get("source") or ""),
        inputs=inputs,
        target=target,
        licence=fields.get("licence") or "",
        provenance=fields.get("provenance") or {},
    )
    fault = spec.instance_fault(instance)
    if fault:
        raise ValueError(fault)
    return instance


def _read_assets(raw: object, root: Path) -> tuple[Asset, ...]:
    if not isinstance(raw, Sequence) or isinstance(raw, str):
        raise ValueError("field 'assets' must be a list")
    assets: list[Asset] = []
    for entry in raw:
        match entry:
            case str():
                assets.append(Asset(entry))
            case {"name": str(name), "path": str(path), **rest} if not rest:
                assets.append(Asset(name, _inside(root, path, "assets")))
            case _:
                raise ValueError(f"asset {entry!r} must be a name, or an object of 'name' and 'path'")
    return tuple(assets)


def _inside(root: Path, relative: str, field: str) -> Path:
    """Return the file that a path of the index names.

    Raises:
        ValueError: It is not a file, or not inside the folder, links followed.
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
