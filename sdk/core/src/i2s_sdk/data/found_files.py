"""The images and documents of a folder that become instances, and the files that do not."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from i2s_sdk.errors import DataError, UnknownNameError, UsageError
from i2s_sdk.instances.site_files import INDEXES
from i2s_sdk.tasks.registry import BUILT_IN, SPECS

#: Suffix of a document, and its task. A folder with an index page is a site as well.
DOCUMENTS = {one.structure_suffix: one.name for one in BUILT_IN.values() if one.structure_suffix}
_SITE = next(one.name for one in BUILT_IN.values() if one.structure_is_site)
#: Suffixes of images; those after the first line are converted to PNG.
IMAGES = (
    ".png", ".jpg", ".jpeg", ".webp",
    ".gif", ".tif", ".tiff", ".bmp",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A file or folder that becomes no part of the data set.

    Attributes:
        path: The file or folder.
        reason: Why; continues "the file …".
        fault: Whether it is an image or a document that would have been taken if it were whole.
    """

    path: Path
    reason: str
    fault: bool = False

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


@dataclass(frozen=True, slots=True)
class FoundFiles:
    """An image, a document, or both of one name.

    Attributes:
        name: The name of the files without suffix.
        task: The task of the document; the task that was named if there is only an image.
        picture: The image; None if there is none yet.
        document: The document; None if there is no ground truth.
    """

    name: str
    task: str
    picture: Path | None
    document: Path | None


@dataclass(frozen=True, slots=True)
class Found:
    """What a folder holds.

    Attributes:
        files: Images and documents, in the order of tasks and names.
        left_out: All else, sorted by name.
    """

    files: tuple[FoundFiles, ...]
    left_out: tuple[LeftOut, ...]


def task_folders(source: Path) -> list[Path]:
    """Return the subfolders that are named after tasks, in the order of tasks; a site is none of them."""
    folders = [source / name for name in SPECS]
    return [one for one in folders if one.is_dir() and not _is_site(one)]


def find_in_task_folders(source: Path) -> Found:
    """Return what the subfolders of a folder hold that are named after tasks.

    Raises:
        UsageError: A subfolder holds nothing.
        DataError: An image, a document or another folder is beside the subfolders; a document is of another
            task than its folder; or two instances have the same name.
    """
    folders = task_folders(source)
    listed = ", ".join(one.name for one in folders)
    left_out: list[LeftOut] = []
    for path in _entries(source):
        if path in folders:
            continue
        if never := _never_taken(path):
            left_out.append(never)
        elif path.is_dir() and not _is_site(path):
            raise DataError(path, 0, f"is beside folders of tasks ({listed}), but {_unknown_task(path.name)}")
        elif path.is_dir() or _suffix(path):
            raise DataError(
                path, 0, f"is beside folders of tasks ({listed}); move it into the one of its task"
            )
        else:
            left_out.append(LeftOut(path, _NEITHER))
    found: dict[str, FoundFiles] = {}
    for folder in folders:
        inside = find(folder, folder.name)
        left_out += inside.left_out
        for one in inside.files:
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
    return Found(tuple(found.values()), tuple(left_out))


def _unknown_task(name: str) -> str:
    return str(UnknownNameError("task", name, SPECS))


def find(source: Path, task: str = "") -> Found:
    """Return what a folder holds, sorted by name.

    Args:
        source: The folder; what its subfolders hold is not taken.
        task: The task of images without a document.

    Raises:
        UsageError: There is no image and no document.
        DataError: It is no folder or cannot be read, or two documents or two images have the same name.
    """
    pictures: dict[str, Path] = {}
    documents: dict[str, tuple[Path, str]] = {}
    left_out: list[LeftOut] = []
    for path in _entries(source):
        suffix = _suffix(path)
        kind = _SITE if path.is_dir() else DOCUMENTS.get(suffix, "")
        name = path.name[: len(path.name) - len(suffix)]
        if never := _never_taken(path):
            left_out.append(never)
        elif path.is_dir() and not _is_site(path):
            left_out.append(LeftOut(path, _NO_SITE))
        elif suffix in IMAGES:
            if name in pictures:
                raise DataError(path, 0, f"has the same name as {pictures[name].name}; rename one of them")
            pictures[name] = path
        elif kind:
            if name in documents:
                other = documents[name][0].name
                raise DataError(path, 0, f"has the same name as {other}; rename one of them")
            documents[name] = path, kind
        else:
            left_out.append(LeftOut(path, _NEITHER))
    if not pictures and not documents:
        raise UsageError(_nothing(source, left_out))
    files = [
        FoundFiles(name, documents[name][1] if name in documents else task, pictures.get(name), document)
        for name in sorted({*pictures, *documents})
        for document in [documents[name][0] if name in documents else None]
    ]
    return Found(tuple(files), tuple(left_out))


_NEITHER = f"is neither an image ({', '.join(IMAGES)}) nor a document ({', '.join(DOCUMENTS)})"
_NO_SITE = "is a folder without an index page, so it is no site; what it holds is not taken"
#: Reasons that are named where there is nothing to take.
_NAMED = 3


def _nothing(source: Path, left_out: list[LeftOut]) -> str:
    wanted = ", ".join((*IMAGES, *DOCUMENTS))
    named = ", ".join(one.name for one in task_folders(source))
    hint = f"; leave --task out to take the folders of tasks in it ({named})" if named else ""
    faults = "".join(f"; {one}" for one in [one for one in left_out if one.fault][:_NAMED])
    return f"{source} holds no picture and no document ({wanted}, folders of sites){hint}{faults}"


def _entries(source: Path) -> list[Path]:
    if not source.is_dir():
        raise DataError(source, 0, "is no folder")
    if not os.access(source, os.R_OK | os.X_OK):
        raise DataError(source, 0, "cannot be read: no permission")
    return sorted(source.iterdir())


def _never_taken(path: Path) -> LeftOut | None:
    """Return why a file is not taken whatever its suffix says; None if it can be."""
    if path.name.startswith("."):
        return LeftOut(path, "is hidden")
    if not path.exists():
        return LeftOut(path, "is a symbolic link to nothing", fault=bool(_suffix(path)))
    if path.is_file() and path.stem.lower() == "readme":
        return LeftOut(path, "is a README")
    if not path.is_file() and not path.is_dir():
        return LeftOut(path, "is no regular file", fault=bool(_suffix(path)))
    return None


def _is_site(path: Path) -> bool:
    return any((path / index).is_file() for index in INDEXES)


def _suffix(path: Path) -> str:
    if path.is_dir():
        return ""
    low = path.name.lower()
    return next((one for one in (*DOCUMENTS, *IMAGES) if low.endswith(one) and low != one), "")
