"""A new data set: one with an example, or one of the images and documents of a folder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path

from i2s_sdk.data.check import warnings_of
from i2s_sdk.data.folder import read_folder
from i2s_sdk.data.format_2 import Line, line
from i2s_sdk.data.found_files import (
    DOCUMENTS,
    Found,
    FoundFiles,
    LeftOut,
    find,
    find_in_task_folders,
    task_folders,
)
from i2s_sdk.data.hub_row import packed
from i2s_sdk.data.new_folder import new_folder, write_index
from i2s_sdk.data.schema_faults import inputs_fault
from i2s_sdk.errors import DataError
from i2s_sdk.instances.image_conversion import ConvertedImage, convert_image
from i2s_sdk.instances.images import MAX_PIXELS, ImageFaultError, decode_image
from i2s_sdk.instances.instance import Instance
from i2s_sdk.instances.site_files import read_site_folder
from i2s_sdk.tasks.registry import SPECS

_STARTER, _STARTER_SUFFIX = "gaussian-posterior", ".tex"
#: Files that are named where none is left.
_NAMED = 3


@dataclass(frozen=True, slots=True)
class NewDataset:
    """A data set that was made.

    Attributes:
        instances: Number of its instances.
        converted: Sentences about images that were converted.
        warnings: Sentences about images that are not compared as they look.
        left_out: Files that are no part of it.
    """

    instances: int
    converted: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
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
        task: The task of images without a document; empty if subfolders name the tasks.
        subset: The subset of all instances; empty is the name of the source.
        most_pixels: Width times height that an image may have; a larger one is left out.

    Raises:
        UsageError: The folder is not empty, or there is nothing to take.
        DataError: A document has no image, an image no task, or two instances the same name; or there is
            something beside the subfolders of tasks.
        WriteError: The folder cannot be written.
    """
    found = None if source is None else _found(source, task)  # before anything is written
    notes = _Notes()
    with new_folder(folder):
        if source is None or found is None:
            count = write_index(folder, _starter(folder))
        else:
            notes.left_out += found.left_out
            lines = list(_taken(folder, found.files, subset or source.resolve().name, most_pixels, notes))
            if not lines:
                named = "; ".join(map(str, [one for one in notes.left_out if one.fault][:_NAMED]))
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
    found = find(source, task) if task or not task_folders(source) else find_in_task_folders(source)
    for one in found.files:
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
    return found


def _fault_of_picture(task: str, picture: Path) -> str:
    """Return why an instance with this picture as its only input is not complete; empty if it is."""
    inputs = {"image": picture.name}
    instance = Instance(picture.stem, task, "", picture, inputs=inputs, files={"image": picture})
    return inputs_fault(task, inputs) or SPECS[task].instance_fault(instance)


def _taken(
    folder: Path, found: tuple[FoundFiles, ...], subset: str, most_pixels: int, notes: _Notes
) -> Iterator[Line]:
    for part in ("references", "structures"):
        (folder / part).mkdir(parents=True)
    for one in found:
        assert one.picture is not None
        try:
            content, converted = _image(one.picture, most_pixels)
            document = None if one.document is None else _document(one.document, one.name)
        except _LeftOutError as error:
            notes.left_out += _with_partner(one, error.left_out)
            continue
        image = f"references/{one.name}.png" if converted else f"references/{one.picture.name}"
        if converted:
            part = ", the first of its frames or pages alone" if converted.first_of_several else ""
            notes.converted.append(f"{one.picture}: {converted.format} is converted to {image}{part}")
        (folder / image).write_bytes(content)
        target = None
        if document is not None:
            target = {"structure": f"structures/{document[0]}"}
            (folder / target["structure"]).write_bytes(document[1])
        yield line(one.name, one.task, subset, {"image": image}, target)


class _LeftOutError(Exception):
    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(reason)
        self.left_out = LeftOut(path, reason, fault=True)


def _with_partner(files: FoundFiles, left_out: LeftOut) -> list[LeftOut]:
    """Return a file that is left out, and the other file of its instance."""
    others = [one for one in (files.picture, files.document) if one not in (None, left_out.path)]
    return [left_out, *(LeftOut(one, f"is left out with {left_out.path.name}") for one in others if one)]


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


def _document(path: Path, name: str) -> tuple[str, bytes]:
    """Return the name and the content of a document as it is written."""
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
