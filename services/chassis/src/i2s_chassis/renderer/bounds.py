"""The bounds of a job: names and sizes of its files, what is left of its limits, how much of its log is kept.

Names of files come from outside: ``check_names`` says which ones may lie in a work folder.
"""

from __future__ import annotations

import hashlib
import itertools
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from i2s_chassis.jail.model import Excerpt, Usage
from i2s_chassis.limits import Limits
from i2s_wire.render.request import File

MAX_PART_BYTES = 255
MAX_PATH_BYTES = 1024

_MOST_SHOWN_CHARACTERS = 80


@dataclass(frozen=True, slots=True)
class ReceivedSource:
    """A generic source as it came, unchecked: a path may stand there twice."""

    #: Its language, which is one of those of the renderer.
    language: str
    #: Path of the file that is rendered.
    entry: str
    #: All files.
    files: tuple[File, ...]

    @property
    def text(self) -> bytes:
        """Content of the file that is rendered; empty if there is none of this path."""
        return next((file.content for file in self.files if file.path == self.entry), b"")

    @property
    def contents(self) -> dict[str, bytes]:
        """All files by path, for a work folder."""
        return {file.path: file.content for file in self.files}

    @property
    def sha256(self) -> str:
        """What identifies the file that is rendered in logs."""
        return hashlib.sha256(self.text).hexdigest()


@dataclass(frozen=True, slots=True)
class NameFault:
    """A name that is refused, and why."""

    #: The name made printable and cut to 80 characters.
    name: str
    #: Half a sentence that continues "the file name …".
    reason: str


def check_name(path: str) -> str | None:
    """Return why this relative path is refused, as in NameFault.reason; None if it is fine."""
    if not path:
        return "is empty"
    try:
        encoded = path.encode()
    except UnicodeEncodeError:
        return "is not valid Unicode"
    if len(encoded) > MAX_PATH_BYTES:
        return f"is longer than {MAX_PATH_BYTES} bytes"
    if any(unicodedata.category(character) == "Cc" for character in path):
        return "holds a control character"
    if "\\" in path:
        return "holds a backslash"
    if path.startswith("/"):
        return "is absolute"
    return next((reason for part in path.split("/") if (reason := _check_part(part))), None)


def _check_part(part: str) -> str | None:
    if not part:
        return "has an empty part"
    if part in {".", ".."}:
        return f'has the part "{part}"'
    if len(part.encode()) > MAX_PART_BYTES:
        return f"has a part longer than {MAX_PART_BYTES} bytes"
    return None


def check_names(paths: Iterable[str], reserved: Iterable[str] = ()) -> NameFault | None:
    """Return a name that is refused; None if all may lie in one folder.

    Args:
        paths: Names as they came.
        reserved: Names that are taken already, such as that of the document; never refused.
    """
    names = list(reserved)
    taken = len(names)
    for path in paths:
        if reason := check_name(path):
            return NameFault(shown(path), reason)
        names.append(path)
    # NUL sorts before all that a name may hold, so a file and what lies below it are neighbours.
    order = sorted((_folded(name).replace("/", "\0"), index) for index, name in enumerate(names))
    for (key, index), (next_key, next_index) in itertools.pairwise(order):
        first, second = names[min(index, next_index)], names[max(index, next_index)]
        if max(index, next_index) < taken:
            continue
        if key == next_key:
            return NameFault(shown(second), _twin(first, second))
        if next_key.startswith(key + "\0"):
            return NameFault(shown(second), f'and "{shown(first)}" need a file and a folder of one name')
    return None


def shown(name: str) -> str:
    """Return a name fit for a message: printable and at most 80 characters."""
    text = "".join(
        c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in name[: _MOST_SHOWN_CHARACTERS + 1]
    )
    return text if len(text) <= _MOST_SHOWN_CHARACTERS else text[: _MOST_SHOWN_CHARACTERS - 1] + "…"


def _twin(first: str, second: str) -> str:
    if first == second:
        return "stands twice or is reserved"
    return f'differs from "{shown(first)}" only in case or Unicode normalisation'


def _folded(path: str) -> str:
    """Return what all names have in common that a forgiving file system takes for the same.

    Canonical caseless matching: definition D145 of the Unicode Standard, section 3.13.
    """
    return unicodedata.normalize("NFD", unicodedata.normalize("NFD", path).casefold())


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


def source_complaint(
    source: ReceivedSource,
    reserved: Iterable[str] = (),
    *,
    max_bytes: int,
    max_file_bytes: int,
    max_files: int,
) -> str | None:
    """Return why a generic source cannot be given to an engine, None if it can.

    Args:
        source: The source as it came.
        reserved: Names that the engine takes for itself.
        max_bytes: Bound on the file that is rendered, which must be UTF-8.
        max_file_bytes: Bound on each file beside it.
        max_files: Bound on their number.

    Returns:
        One sentence that begins with the field at fault.
    """
    beside = [file for file in source.files if file.path != source.entry]
    if len(beside) == len(source.files):
        return f'generic.entry: "{shown(source.entry)}" is none of the files'
    names = check_names((file.path for file in source.files), reserved)
    if names is not None:
        return f'generic.files: the file name "{names.name}" {names.reason}'
    return text_complaint(source.text, "generic.files", max_bytes) or files_complaint(
        beside, "generic.files", reserved, max_file_bytes=max_file_bytes, max_files=max_files
    )


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
