"""Every fault of a data set: of the index, line by line, and of the files that it names.

A reference whose pixels are not what it looks like is not a fault; there is a warning of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from i2s_sdk.data.folder import index_of, read_content, read_index, read_lines
from i2s_sdk.errors import DataError
from i2s_sdk.instances.images import MAX_PIXELS, ImageFaultError, decode_image, look_differences
from i2s_sdk.instances.instance import Instance
from i2s_sdk.tasks.registry import task_spec


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that must be mended, or, as a warning, should be."""

    #: The index, or a file that it names.
    file: Path
    #: Line of the index, counted from 1; 0 if the fault is in no single line.
    line: int
    #: What is wrong and what would be right.
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}" if self.line else f"{self.file}: {self.message}"


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of the check of a data set."""

    #: Its index file.
    index: Path
    #: Instances whose line is whole.
    instances: tuple[Instance, ...]
    #: Faults in the order of the lines.
    faults: tuple[Fault, ...]
    #: Warnings in the order of the lines, of references that are not compared as they look.
    warnings: tuple[Fault, ...] = ()


def check(where: Path, most_pixels: int = MAX_PIXELS) -> Checked:
    """Return every fault of a local data set; unlike ``read_folder`` it opens every file.

    Args:
        where: Its folder, or its index.
        most_pixels: Width times height that a reference may have.
    """
    index = index_of(where)
    try:
        raw = read_index(index)
    except DataError as error:
        return Checked(index, (), (_fault(error, 0),))
    instances: list[Instance] = []
    faults: list[Fault] = []
    warnings: list[Fault] = []
    for line in read_lines(raw, index.parent):
        if line.instance is None:
            faults.append(Fault(index, line.number, line.fault))
        else:
            instances.append(line.instance)
            faults += (Fault(index, line.number, said) for said in _faults_of(line.instance, most_pixels))
            warnings += (Fault(index, line.number, said) for said in warnings_of(line.instance, most_pixels))
    if not instances and not faults:
        faults.append(Fault(index, 0, "holds no instance"))
    return Checked(index, tuple(instances), tuple(faults), tuple(warnings))


def warnings_of(instance: Instance, most_pixels: int = MAX_PIXELS) -> tuple[str, ...]:
    """Return why the image of an instance is not compared as it looks; nothing of one that is not compared.

    Args:
        instance: An instance of a data set.
        most_pixels: Width times height that a reference may have.
    """
    if instance.image is None or not _renders(instance.task):
        return ()
    try:
        said = look_differences(instance.image.read_bytes(), most_pixels)
    except (ImageFaultError, OSError):
        return ()  # a fault
    return tuple(f"image {instance.image.name} is not compared as it looks: it {one}" for one in said)


@cache
def _renders(task: str) -> bool:
    return task_spec(task).renders


def _fault(error: DataError, line: int) -> Fault:
    said = error.message.removeprefix(f"{error.where}:{error.line}: ").removeprefix(f"{error.where}: ")
    return Fault(error.where, line, said)


def _faults_of(instance: Instance, most_pixels: int) -> Iterator[str]:
    try:
        content = read_content(instance)
    except DataError as error:
        yield error.message
        return
    for image in instance.images:
        if said := _image_fault(image, most_pixels):
            yield f"image {image.name}: {said}"
    spec = task_spec(instance.task)
    if said := spec.files_fault(instance):
        yield said
    if instance.structure is not None:
        said = spec.structure_fault(content)
        if said:
            yield f"structure {instance.structure.name}: {said}"


def _image_fault(image: Path, most_pixels: int) -> str:
    try:
        decode_image(image.read_bytes(), most_pixels)
    except ImageFaultError as error:
        return str(error)
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    return ""
