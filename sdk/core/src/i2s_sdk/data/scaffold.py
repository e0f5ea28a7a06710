"""A new data set: one with an example, or one of the images and documents of a folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path

from i2s_sdk.data.check import warnings_of
from i2s_sdk.data.folder import inputs_fault, read_folder
from i2s_sdk.data.format_2 import Line, line, new_folder, write_index
from i2s_sdk.data.hub import packed
from i2s_sdk.errors import DataError, UnknownNameError, UsageError
from i2s_sdk.instances.images import MAX_PIXELS, ConvertedImage, ImageFaultError, convert_image, decode_image
from i2s_sdk.instances.instance import Instance
from i2s_sdk.instances.site_files import INDEXES, read_site_folder
from i2s_sdk.tasks.registry import BUILT_IN, SPECS

#: Suffix of a document, and its task. A folder with an index page is a site as well.
DOCUMENTS = {
    task_spec.structure_suffix: task_spec.name
    for task_spec in BUILT_IN.values()
    if task_spec.structure_suffix
}
_SITE = next(task_spec.name for task_spec in BUILT_IN.values() if task_spec.structure_is_site)
#: Suffix of a lone page, which can be a site as well.
_PAGE = ".html"
#: Suffixes of images; those after the first line are converted to PNG.
IMAGES = (
    ".png", ".jpg", ".jpeg", ".webp",
    ".gif", ".tif", ".tiff", ".bmp",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A file or folder that becomes no part of the data set."""

    #: The file or folder.
    path: Path
    #: Why; continues "the file …".
    reason: str
    #: Whether it is an image or a document that would have been taken if it were whole.
    fault: bool = False

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


@dataclass(frozen=True, slots=True)
class FoundFiles:
    """An image, a document, or both of one name."""

    #: The name of the files without suffix.
    name: str
    #: The task of the document; the task that was named if there is only an image.
    task: str
    #: The image; None if there is none yet.
    image: Path | None
    #: The document; None if there is no ground truth.
    document: Path | None


@dataclass(frozen=True, slots=True)
class Found:
    """The images and documents of a folder."""

    #: Images and documents, in the order of tasks and names.
    files: tuple[FoundFiles, ...]
    #: All else, sorted by name.
    left_out: tuple[LeftOut, ...]


def task_folders(source: Path) -> list[Path]:
    """Return the subfolders that are named after tasks, in the order of tasks; a site is none of them."""
    folders = [source / name for name in SPECS]
    return [folder for folder in folders if folder.is_dir() and not _is_site(folder)]


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
    by_task: dict[str, FoundFiles] = {}
    for folder in folders:
        inside = find(folder, folder.name)
        left_out += inside.left_out
        for file in inside.files:
            here = file.document or file.image or folder
            if file.task != folder.name:
                raise DataError(
                    here, 0, f"is a document of the task {file.task}; move it to {source / file.task}"
                )
            if file.name in by_task:
                other = by_task[file.name].document or by_task[file.name].image
                raise DataError(
                    here, 0, f"has the same name as {other}, and names are ids; rename one of them"
                )
            by_task[file.name] = file
    return Found(tuple(by_task.values()), tuple(left_out))


def _unknown_task(name: str) -> str:
    return str(UnknownNameError("task", name, SPECS))


def find(source: Path, task: str = "") -> Found:
    """Return what a folder holds, sorted by name.

    Args:
        source: The folder; what its subfolders hold is not taken.
        task: The task of images without a document, and of a page (.html) that can be a site.

    Raises:
        UsageError: There is no image and no document.
        DataError: It is not a folder or cannot be read, or two documents or two images have the same name.
    """
    images: dict[str, Path] = {}
    documents: dict[str, tuple[Path, str]] = {}
    left_out: list[LeftOut] = []
    for path in _entries(source):
        suffix = _suffix(path)
        is_site = path.is_dir() or (suffix == _PAGE and task == _SITE)
        kind = _SITE if is_site else DOCUMENTS.get(suffix, "")
        name = path.name[: len(path.name) - len(suffix)]
        if never := _never_taken(path):
            left_out.append(never)
        elif path.is_dir() and not _is_site(path):
            left_out.append(LeftOut(path, _NO_SITE))
        elif suffix in IMAGES:
            if name in images:
                raise DataError(path, 0, f"has the same name as {images[name].name}; rename one of them")
            images[name] = path
        elif kind:
            if name in documents:
                other = documents[name][0].name
                raise DataError(path, 0, f"has the same name as {other}; rename one of them")
            documents[name] = path, kind
        else:
            left_out.append(LeftOut(path, _NEITHER))
    if not images and not documents:
        raise UsageError(_nothing(source, left_out))
    files = [
        FoundFiles(name, documents[name][1] if name in documents else task, images.get(name), document)
        for name in sorted({*images, *documents})
        for document in [documents[name][0] if name in documents else None]
    ]
    return Found(tuple(files), tuple(left_out))


_NEITHER = f"is neither an image ({', '.join(IMAGES)}) nor a document ({', '.join(DOCUMENTS)})"
_NO_SITE = "is a folder without an index page, so it is no site; what it holds is not taken"
#: Reasons that are named where there is nothing to take.
_NAMED = 3


def _nothing(source: Path, left_out: list[LeftOut]) -> str:
    wanted = ", ".join((*IMAGES, *DOCUMENTS))
    named = ", ".join(task_folder.name for task_folder in task_folders(source))
    hint = f"; leave --task out to take the folders of tasks in it ({named})" if named else ""
    faults = "".join(f"; {one}" for one in [one for one in left_out if one.fault][:_NAMED])
    return f"{source} holds no image and no document ({wanted}, folders of sites){hint}{faults}"


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
    return next((suffix for suffix in (*DOCUMENTS, *IMAGES) if low.endswith(suffix) and low != suffix), "")


_STARTER, _STARTER_SUFFIX = "gaussian-posterior", ".tex"
#: Files that are named where none is left.


@dataclass(frozen=True, slots=True)
class NewDataset:
    """A data set that was made."""

    #: Number of its instances.
    instances: int
    #: Sentences about images that were converted.
    converted: tuple[str, ...] = ()
    #: Sentences about images that are not compared as they look.
    warnings: tuple[str, ...] = ()
    #: Files that are not part of it.
    left_out: tuple[LeftOut, ...] = ()


@dataclass(slots=True)
class _Notes:
    converted: list[str] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)


def new_dataset(
    folder: Path,
    source: Path | None = None,
    *,
    task: str = "",
    subset: str = "",
    most_pixels: int = MAX_PIXELS,
) -> NewDataset:
    """Make a data set.

    Args:
        folder: Folder of the data set; must not exist, or be empty.
        source: A folder of images and documents, matched by name, or of subfolders of these that are named
            after tasks; None makes one example.
        task: The task of all instances; empty if documents or subfolders name the tasks.
        subset: The subset of all instances; empty is the name of the source.
        most_pixels: Width times height that an image may have; a larger one is left out.

    Raises:
        UsageError: The folder is not empty, or there is nothing to take.
        DataError: A document has no image or is of another task than ``task``, an image no task, or two
            instances the same name; or there is something beside the subfolders of tasks.
        WriteError: The folder cannot be written.
    """
    source_files = None if source is None else _found(source, task)  # before anything is written
    notes = _Notes()
    with new_folder(folder):
        if source is None or source_files is None:
            count = write_index(folder, _starter(folder))
        else:
            notes.left_out += source_files.left_out
            lines = list(
                _taken(folder, source_files.files, subset or source.resolve().name, most_pixels, notes)
            )
            if not lines:
                named = "; ".join(
                    map(str, [left_out for left_out in notes.left_out if left_out.fault][:_NAMED])
                )
                raise DataError(source, 0, f"holds nothing that can be taken: {named}")
            count = write_index(folder, lines)
        warnings = [
            said for instance in read_folder(folder).instances for said in warnings_of(instance, most_pixels)
        ]
    return NewDataset(count, tuple(notes.converted), tuple(warnings), tuple(notes.left_out))


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


def _found(source: Path, task: str) -> Found:
    contents = find(source, task) if task or not task_folders(source) else find_in_task_folders(source)
    for file in contents.files:
        if not file.task:
            reason = "has no document beside it; name its task with --task or by a folder of that name"
            raise DataError(file.image or source, 0, reason)
        if task and file.task != task:
            raise DataError(
                file.document or source,
                0,
                f"is a document of the task {file.task}, not of {task}; leave --task out, or move it into a "
                f"folder named {file.task}",
            )
        if file.image is None:
            raise DataError(
                file.document or source,
                0,
                f"has no image beside it; make {file.name}.png with i2s-sdk render",
            )
        fault = _fault_of_image(file.task, file.image)
        if fault:
            raise DataError(file.image, 0, f"is not all that an instance of {file.task} needs: {fault}")
    return contents


def _fault_of_image(task: str, image: Path) -> str:
    """Return why an instance with this image as its only input is not complete; empty if it is."""
    inputs = {"image": image.name}
    instance = Instance(image.stem, task, "", image, inputs=inputs, files={"image": image})
    return inputs_fault(task, inputs) or SPECS[task].instance_fault(instance)


def _taken(
    folder: Path, taken: tuple[FoundFiles, ...], subset: str, most_pixels: int, notes: _Notes
) -> Iterator[Line]:
    for part in ("references", "structures"):
        (folder / part).mkdir(parents=True)
    for file in taken:
        assert file.image is not None
        try:
            content, converted = _image(file.image, most_pixels)
            document = None if file.document is None else _document(file.document, file.name, file.task)
        except _LeftOutError as error:
            notes.left_out += _with_partner(file, error.left_out)
            continue
        image = f"references/{file.name}.png" if converted else f"references/{file.image.name}"
        if converted:
            part = ", the first of its frames or pages alone" if converted.first_of_several else ""
            notes.converted.append(f"{file.image}: {converted.format} is converted to {image}{part}")
        (folder / image).write_bytes(content)
        target = None
        if document is not None:
            target = {"structure": f"structures/{document[0]}"}
            (folder / target["structure"]).write_bytes(document[1])
        yield line(file.name, file.task, subset, {"image": image}, target)


class _LeftOutError(Exception):
    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(reason)
        self.left_out = LeftOut(path, reason, fault=True)


def _with_partner(files: FoundFiles, left_out: LeftOut) -> list[LeftOut]:
    """Return a file that is left out, and the other file of its instance."""
    others = [path for path in (files.image, files.document) if path not in (None, left_out.path)]
    return [left_out, *(LeftOut(path, f"is left out with {left_out.path.name}") for path in others if path)]


def _image(path: Path, most_pixels: int) -> tuple[bytes, ConvertedImage | None]:
    """Return an image as it is written, and how it was converted; None if it is a copy."""
    content = _read(path)
    try:
        decode_image(content, most_pixels)
        return content, None
    except ImageFaultError as error:
        try:
            converted = convert_image(content, most_pixels)
        except ImageFaultError as other:
            read = path.suffix.lower() in (".png", ".jpg", ".jpeg", ".webp")
            raise _LeftOutError(path, str(error if read else other)) from None
    return converted.png, converted


def _document(path: Path, name: str, task: str) -> tuple[str, bytes]:
    """Return the name and the content of a document as it is written."""
    if task == _SITE and path.suffix.lower() == _PAGE:
        return f"{name}.tar.gz", packed({INDEXES[0]: _read(path)})
    if not path.is_dir():
        return path.name, _read(path)
    try:
        return f"{name}.tar.gz", packed(read_site_folder(path))
    except ValueError as error:
        raise DataError(path, 0, str(error)) from None
    except OSError as error:
        raise _LeftOutError(path, f"cannot be read: {error.strerror}") from None


def _read(path: Path) -> bytes:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise _LeftOutError(path, f"cannot be read: {error.strerror}") from None
    if not content.strip():
        raise _LeftOutError(path, "is empty")
    return content
