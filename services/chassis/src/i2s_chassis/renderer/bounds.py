"""What is left of a job's limits, whether its source fits into them, and how much of its log is returned."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from i2s_chassis.jail.model import Excerpt, Usage
from i2s_chassis.limits import Limits
from i2s_chassis.names import check_names, shown
from i2s_wire.render.request import File

_BLOCK = 4096
#: The least time that a step is given, in which it can be seen that it has none left.
LEAST_SECONDS = 0.1


def limits_left(limits: Limits, spent: Usage) -> Limits:
    """Return the limits of the next step of a job: its time is what earlier steps have left."""
    return replace(
        limits,
        cpu_seconds=max(limits.cpu_seconds - spent.cpu_seconds, LEAST_SECONDS),
        wall_seconds=max(limits.wall_seconds - spent.clock_seconds, LEAST_SECONDS),
    )


def bounded_log(log: Excerpt | None, size: int) -> Excerpt:
    """Return the head and tail of a log that together have at most ``size`` bytes; empty for None."""
    if log is None:
        return Excerpt(b"", b"", 0)
    if log.total_bytes <= size and not log.tail:
        return log
    half = size // 2
    end = log.tail or log.head
    return Excerpt(log.head[: size - half], end[-half:] if half else b"", log.total_bytes)


def text_complaint(text: bytes, field: str, max_bytes: int) -> str | None:
    """Return why a source that is one text cannot be given to an engine, None if it can.

    Args:
        text: The source.
        field: Its name on the wire.
        max_bytes: Bound on it.

    Returns:
        One sentence that begins with the field.
    """
    if not text.strip():
        return f"{field}: is empty"
    if len(text) > max_bytes:
        return f"{field}: has {len(text)} bytes, at most {max_bytes} are taken"
    try:
        text.decode("utf-8")
    except UnicodeDecodeError as error:
        return f"{field}: is not UTF-8: {error.reason} at byte {error.start}"
    return None


def files_complaint(
    files: Sequence[File], field: str, reserved: Iterable[str], *, max_file_bytes: int, max_files: int
) -> str | None:
    """Return why the files beside a source cannot lie there, None if they can.

    Args:
        files: Files as they came.
        field: Their name on the wire.
        reserved: Names that the engine takes for itself.
        max_file_bytes: Bound on each file.
        max_files: Bound on their number.

    Returns:
        One sentence that begins with the field.
    """
    if len(files) > max_files:
        return f"{field}: has {len(files)} files, at most {max_files} are taken"
    fault = check_names((file.path for file in files), reserved)
    if fault is not None:
        return f'{field}: the file name "{fault.name}" {fault.reason}'
    for file in files:
        if len(file.content) > max_file_bytes:
            size = len(file.content)
            return f'{field}: "{shown(file.path)}" has {size} bytes, at most {max_file_bytes} are taken'
    return None


def disk_complaint(
    contents: Sequence[bytes], limits: Limits, *, by_products: int, paths: Sequence[str] = ()
) -> str | None:
    """Return why the files of a source alone fill a work folder of these limits, None if they do not.

    Args:
        contents: Contents of all files.
        limits: Limits of the job.
        by_products: Files that the engine writes at least.
        paths: Paths of files that may lie in folders.
    """
    used = sum(-(-len(content) // _BLOCK) * _BLOCK for content in contents)
    if used >= limits.disk_bytes:
        return f"The source alone takes {used} of the limit of {limits.disk_bytes} bytes on disk."
    folders = {parent for path in paths for parent in PurePosixPath(path).parents}
    inodes = len(contents) + len(folders) + by_products
    if inodes > limits.inodes:
        return f"The source needs {inodes} files and folders, more than the limit of {limits.inodes}."
    return None
