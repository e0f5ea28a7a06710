"""A new data set: one with an example, or one of the pictures and documents of a folder."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from i2s_sdk.data.folder import INDEX, read_folder
from i2s_sdk.data.format_2 import Line, line
from i2s_sdk.data.hub_row import packed
from i2s_sdk.data.schema_faults import inputs_fault
from i2s_sdk.errors import DataError, UnknownNameError, UsageError
from i2s_sdk.instances.instance import Instance
from i2s_sdk.instances.site_files import INDEXES, read_site_folder
from i2s_sdk.tasks.registry import BUILT_IN, SPECS
from i2s_sdk.writing import writing

#: Suffix of a document, and its task. A folder with an index page is a site as well.
DOCUMENTS = {one.structure_suffix: one.name for one in BUILT_IN.values() if one.structure_suffix}
_SITE = next(one.name for one in BUILT_IN.values() if one.structure_is_site)
PICTURES = (".png", ".jpg", ".jpeg", ".webp")

_STARTER, _STARTER_SUFFIX = "gaussian-posterior", ".tex"


@dataclass(frozen=True, slots=True)
class FoundFiles:
    """A picture, a document, or both of one name.

    Attributes:
        name: The name of the files without suffix.
        task: The task of the document; the task that was named if there is only a picture.
        picture: The picture; None if there is none yet.
        document: The document; None if there is no ground truth.
    """

    name: str
    task: str
    picture: Path | None
    document: Path | None


def new_dataset(
    folder: Path,
    source: Path | None = None,
    *,
    task: str = "",
    subset: str = "",
) -> int:
    """Make a data set and return how many instances it has.

    Args:
        folder: Folder of the data set; must not exist, or be empty.
        source: A folder of pictures and documents, matched by name, or of subfolders of these that are named
            after tasks; None makes one example.
        task: The task of pictures without a document; empty if subfolders name the tasks.
        subset: The subset of all instances; empty is the name of the source.

    Raises:
        UsageError: The folder is not empty, or there is nothing to take.
        DataError: A document has no picture, a picture no task, or two instances the same name; or there is
            something beside the subfolders of tasks.
        WriteError: The folder cannot be written.
    """
    with writing(folder):
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise UsageError(f"{folder} is there already and not empty; name a new folder")
        return _written(folder, _starter(folder) if source is None else _taken(folder, source, task, subset))


def _written(folder: Path, rows: Iterator[Line]) -> int:
    """Write a data set and return how many instances it has; if that fails nothing of it stays."""
    try:
        lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
        (folder / INDEX).write_text("".join(lines), encoding="utf-8")
        read_folder(folder)  # names of files make ids, and not every name can
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)  # it was not there, or empty
        raise
    return len(lines)


def _starter(folder: Path) -> Iterator[Line]:
    for part, suffix in (("references", ".png"), ("structures", _STARTER_SUFFIX)):
        (folder / part).mkdir(parents=True)
        content = files("i2s_sdk.data").joinpath("starter", _STARTER + suffix).read_bytes()
        (folder / part / f"{_STARTER}{suffix}").write_bytes(content)
    yield line(
        _STARTER,
        DOCUMENTS[_STARTER_SUFFIX],
        "equation",
        {"image": f"references/{_STARTER}.png"},
        {"structure": f"structures/{_STARTER}{_STARTER_SUFFIX}"},
        difficulty="easy",
        provenance={"source": "example of i2s-sdk dataset new"},
    )


def _taken(folder: Path, source: Path, task: str, subset: str) -> Iterator[Line]:
    found = find(source, task) if task or not task_folders(source) else find_in_task_folders(source)
    for one in found:  # before anything is written
        if not one.task:
            reason = "has no document beside it; name its task with --task or by a folder of that name"
            raise DataError(one.picture or source, 0, reason)
        if one.picture is None:
            raise DataError(
                one.document or source,
                0,
                f"has no picture beside it; make {one.name}.png with i2s-sdk render",
            )
        fault = _fault_of_picture(one.task, one.picture)
        if fault:
            raise DataError(one.picture, 0, f"is not all that an instance of {one.task} needs: {fault}")
    for part in ("references", "structures"):
        (folder / part).mkdir(parents=True)
    for one in found:
        assert one.picture is not None
        shutil.copyfile(one.picture, folder / "references" / one.picture.name)
        target = None
        if one.document is not None:
            target = {"structure": _place_document(one.document, one.name, folder)}
        inputs = {"image": f"references/{one.picture.name}"}
        yield line(one.name, one.task, subset or source.resolve().name, inputs, target)


def _fault_of_picture(task: str, picture: Path) -> str:
    """Return why an instance with this picture as its only input is not complete; empty if it is."""
    inputs = {"image": picture.name}
    instance = Instance(picture.stem, task, "", picture, inputs=inputs, files={"image": picture})
    return inputs_fault(task, inputs) or SPECS[task].instance_fault(instance)


def task_folders(source: Path) -> list[Path]:
    """Return the subfolders that are named after tasks, in the order of tasks; a site is none of them."""
    folders = [source / name for name in SPECS]
    return [one for one in folders if one.is_dir() and not _is_site(one)]


def find_in_task_folders(source: Path) -> list[FoundFiles]:
    """Return what the subfolders of a folder hold that are named after tasks.

    Raises:
        UsageError: A subfolder holds nothing.
        DataError: A picture, a document or another folder is beside the subfolders; a document is of another
            task than its folder; or two instances have the same name.
    """
    folders = task_folders(source)
    listed = ", ".join(one.name for one in folders)
    for path in sorted(source.iterdir()):
        if path.name.startswith(".") or path.stem.lower() == "readme" or path in folders:
            continue
        if path.is_dir() and not _is_site(path):
            raise DataError(path, 0, f"is beside folders of tasks ({listed}), but {_unknown_task(path.name)}")
        if path.is_dir() or _suffix(path):
            raise DataError(
                path, 0, f"is beside folders of tasks ({listed}); move it into the one of its task"
            )
    found: dict[str, FoundFiles] = {}
    for folder in folders:
        for one in find(folder, folder.name):
            here = one.document or one.picture or folder
            if one.task != folder.name:
                raise DataError(
                    here, 0, f"is a document of the task {one.task}; move it to {source / one.task}"
                )
            if one.name in found:
                other = found[one.name].document or found[one.name].picture
                raise DataError(
                    here, 0, f"has the same name as {other}, and names are ids; rename one of them"
                )
            found[one.name] = one
    return list(found.values())


def _unknown_task(name: str) -> str:
    return str(UnknownNameError("task", name, SPECS))


def find(source: Path, task: str = "") -> list[FoundFiles]:
    """Return what a folder holds, sorted by name.

    Raises:
        UsageError: There is nothing.
        DataError: Two documents or two pictures have the same name.
    """
    if not source.is_dir():
        raise DataError(source, 0, "is no folder")
    pictures: dict[str, Path] = {}
    documents: dict[str, tuple[Path, str]] = {}
    for path in sorted(source.iterdir()):
        suffix = _suffix(path)
        kind = _SITE if path.is_dir() else DOCUMENTS.get(suffix, "")
        name = path.name.removesuffix(path.name[len(path.name) - len(suffix) :]) if suffix else path.name
        if suffix in PICTURES:
            if name in pictures:
                raise DataError(path, 0, f"has the same name as {pictures[name].name}")
            pictures[name] = path
        elif kind and (not path.is_dir() or _is_site(path)):
            if name in documents:
                raise DataError(path, 0, f"has the same name as {documents[name][0].name}")
            documents[name] = path, kind
    if not pictures and not documents:
        wanted = ", ".join((*PICTURES, *DOCUMENTS))
        named = ", ".join(one.name for one in task_folders(source))
        hint = f"; leave --task out to take the folders of tasks in it ({named})" if named else ""
        raise UsageError(f"{source} holds no picture and no document ({wanted}, folders of sites){hint}")
    return [
        FoundFiles(name, documents[name][1] if name in documents else task, pictures.get(name), document)
        for name in sorted({*pictures, *documents})
        for document in [documents[name][0] if name in documents else None]
    ]


def _is_site(path: Path) -> bool:
    return any((path / index).is_file() for index in INDEXES)


def _suffix(path: Path) -> str:
    if path.is_dir():
        return ""
    low = path.name.lower()
    return next((one for one in (*DOCUMENTS, *PICTURES) if low.endswith(one) and low != one), "")


def _place_document(document: Path, name: str, folder: Path) -> str:
    if document.is_dir():
        placed = f"structures/{name}.tar.gz"
        try:
            (folder / placed).write_bytes(packed(read_site_folder(document)))
        except ValueError as error:
            raise DataError(document, 0, str(error)) from None
        return placed
    placed = f"structures/{document.name}"
    shutil.copyfile(document, folder / placed)
    return placed
