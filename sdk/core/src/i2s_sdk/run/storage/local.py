"""A run in a local folder: files that are appended to, and a lock of the operating system."""

from __future__ import annotations

import contextlib
import fcntl
import logging
import os
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import BinaryIO

from i2s_sdk.errors import InUseError
from i2s_sdk.files import writing

LOCK, DRAFTS = ".lock", ".drafts"

#: A file of lines is called this in a folder; in a store its segments lie in a folder of the name before it.
LINES = ".jsonl"

_BLOCK = 65_536
_LOOK_SECONDS = 1.0  # between attempts to take the lock of another process, at most

_log = logging.getLogger(__name__)


class LocalStorage:
    """A folder; see ``RunStorage``.

    Args:
        folder: Folder of the run; made when something is written.
        lock_seconds: Time in seconds to wait for another process that has the folder; 0 does not wait.
    """

    threads = 1

    def __init__(self, folder: Path, lock_seconds: float = 0.0) -> None:
        self.where = folder
        self._lock_seconds = lock_seconds
        self._alone = False

    @property
    def name(self) -> str:
        """The name of the folder."""
        return self.where.name

    def __str__(self) -> str:
        return str(self.where)

    def at(self, name: str) -> Path:
        """Return the path of something within."""
        return self.where / name

    def names(self) -> set[str]:
        """Return what the folder holds."""
        try:
            return {path.name for path in self.where.iterdir()}
        except (FileNotFoundError, NotADirectoryError):  # what stands in its way is told when it is made
            return set()

    def exists(self, name: str) -> bool:
        """Return whether there is this file."""
        return (self.where / name).exists()

    def read(self, name: str) -> bytes:
        """Return the content of a file."""
        return (self.where / name).read_bytes()

    def open(self, name: str) -> BinaryIO:
        """Open a file to be read."""
        return (self.where / name).open("rb")

    def write(self, name: str, content: bytes) -> None:
        """Write a file so that it is there whole or not at all."""
        with self.draft(name) as path:
            path.write_bytes(content)

    def write_if_absent(self, name: str, content: bytes) -> None:
        """Write a file whose name says its content, unless it is there."""
        if not (self.where / name).exists():
            self.write(name, content)

    @contextmanager
    def draft(self, name: str) -> Iterator[Path]:
        """Have a path for a file that gets its name when the block ends without an error.

        What a kill leaves of it is cleared by the next that has the folder alone.
        """
        path = self.where / name
        mark = f"{os.getpid()}-{threading.get_ident()}"
        draft = path.with_name(f".{path.name}.{mark}")
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            if self._alone:
                (self.where / DRAFTS).mkdir(exist_ok=True)
                draft = self.where / DRAFTS / f"{mark}-{path.name}"
            try:
                yield draft
                draft.replace(path)
            except BaseException:
                draft.unlink(missing_ok=True)
                raise

    @contextmanager
    def passing_folder(self) -> Iterator[Path]:
        """Have a new folder that is gone after the block; what a kill leaves is cleared as a draft is."""
        assert self._alone, "drafts of others are not cleared"
        drafts = self.where.absolute() / DRAFTS
        with ExitStack() as opened:
            with writing(self.where):
                drafts.mkdir(exist_ok=True)
                folder = opened.enter_context(TemporaryDirectory(dir=drafts, ignore_cleanup_errors=True))
            yield Path(folder)

    def remove(self, names: set[str]) -> None:
        """Remove files and folders."""
        for path in (self.where / name for name in names):
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)

    def lines(self, name: str) -> LineFile:
        """Return a file of lines."""
        return LineFile(self.where / name)

    def follow(self, name: str) -> FollowedFile:
        """Return a file of lines to read as it grows."""
        return FollowedFile(self.where / name)

    @contextmanager
    def append_log(self, name: str) -> Iterator[OpenLineFile]:
        """Have a file of lines to append to, made if it is not there, without a torn line at its end."""
        opened = OpenLineFile(self.where / name)
        try:
            yield opened
        finally:
            opened.close()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Have the folder, made if it is not there, for this process alone.

        One that was made and into which nothing was written is removed, as are its parents that were made.

        Raises:
            InUseError: Another process has it, after ``lock_seconds`` as well.
            WriteError: It cannot be made, or is read-only.
        """
        with ExitStack() as opened:
            made = self._lock(opened)
            shutil.rmtree(self.where / DRAFTS, ignore_errors=True)
            self._alone = True
            try:
                yield
            finally:
                self._alone = False
                if made and not any(path.is_file() and path.stat().st_size for path in self.where.rglob("*")):
                    shutil.rmtree(self.where, ignore_errors=True)
                    with contextlib.suppress(OSError):  # a parent holds something by now
                        for parent in made[1:]:
                            parent.rmdir()

    def _lock(self, opened: ExitStack) -> list[Path]:
        """Lock the folder until the stack is closed, and return the folders that were made for it."""
        while True:
            with writing(self.where):
                made = [path for path in (self.where, *self.where.parents) if not path.exists()]
                self.where.mkdir(parents=True, exist_ok=True)
                lock = opened.enter_context((self.where / LOCK).open("ab"))
            self._take(lock)
            if os.fstat(lock.fileno()).st_nlink:  # else the process that had it has removed the folder
                return made

    def _take(self, lock: BinaryIO) -> None:
        """Lock a file, if need be once another process has unlocked it."""
        until = time.monotonic() + self._lock_seconds
        waits = False
        while not _locked(lock):
            left = until - time.monotonic()
            if left <= 0:
                raise InUseError(
                    f"{self}: another process works on this run; wait until it ends, or set lock_seconds "
                    "(I2S_LOCK_SECONDS) to wait for it"
                )
            if not waits:
                _log.warning(
                    "%s: another process works on this run; waiting for it for up to %g s",
                    self,
                    self._lock_seconds,
                )
                waits = True
            time.sleep(min(left, _LOOK_SECONDS))

    def require_space(self, size: int) -> None:
        """Write a file of so many bytes to the disk, and remove it.

        Raises:
            WriteError: The disk does not take them.
        """
        probe = self.where / DRAFTS / f"{os.getpid()}-space"
        with writing(self.where):
            probe.parent.mkdir(exist_ok=True)
            try:
                with probe.open("wb") as file:
                    for start in range(0, size, _BLOCK):
                        file.write(bytes(min(_BLOCK, size - start)))
                    file.flush()
                    os.fsync(file.fileno())
            finally:
                probe.unlink(missing_ok=True)
                probe.parent.rmdir()

    def flush(self) -> None:
        """Do nothing: what was appended is in the file."""

    @contextmanager
    def folder(self, name: str) -> Iterator[Path]:
        """Have a folder within."""
        yield self.where / name


class FollowedFile:
    """A file of lines that is read as it grows; see ``Followed``."""

    def __init__(self, path: Path) -> None:
        self._path, self._offset = path, 0

    def new(self) -> list[bytes]:
        """Return the whole lines that were appended since the last call."""
        try:
            with self._path.open("rb") as file:
                file.seek(self._offset)
                appended = file.read()
        except FileNotFoundError:
            return []
        whole = appended[: appended.rfind(b"\n") + 1]  # the last line may not be whole yet
        self._offset += len(whole)
        return whole.splitlines(keepends=True)


class LineFile:
    """A file of lines to read; see ``Lines``. What stands behind the last end of a line is left out."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __str__(self) -> str:
        return str(self._path)

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        if not self._path.exists():
            return
        offset = 0
        with self._path.open("rb") as lines:
            for raw in lines:
                if not raw.endswith(b"\n"):
                    return
                yield offset, raw
                offset += len(raw)

    def read(self, offset: int, length: int) -> bytes:
        """Return bytes of the file."""
        with self._path.open("rb") as file:
            file.seek(offset)
            return file.read(length)


class OpenLineFile(LineFile):
    """A file of lines that is appended to; see ``Journal``."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        with writing(path):
            self._file = path.open("a+b", buffering=0)
            _cut_torn_line(self._file.fileno())
        self._end = self._file.seek(0, os.SEEK_END)

    def append(self, line: bytes) -> int:
        """Append a line and return its offset; the system has it then.

        Raises:
            WriteError: The disk does not take it.
        """
        written, offset = 0, self._end
        with writing(self._path):
            while written < len(line):
                written += self._file.write(line[written:])
        self._end += len(line)
        return offset

    async def wait_durable(self) -> None:
        """Return at once: a killed process loses nothing that the system has."""

    def read(self, offset: int, length: int) -> bytes:
        """Return bytes of the file."""
        return os.pread(self._file.fileno(), length, offset)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def stem(name: str) -> str:
    """Return the name of a file of lines without its ending."""
    return str(PurePosixPath(name).with_suffix(""))


def _locked(lock: BinaryIO) -> bool:
    """Lock a file unless another process has, and return whether it is locked now."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _cut_torn_line(file: int) -> None:
    """Remove what a process wrote of a line when it was killed."""
    end = whole = os.lseek(file, 0, os.SEEK_END)
    while whole > 0:
        start = max(0, whole - _BLOCK)
        newline = os.pread(file, whole - start, start).rfind(b"\n")
        if newline >= 0:
            whole = start + newline + 1
            break
        whole = start
    if whole != end:
        os.ftruncate(file, whole)
