"""The files of a web site: out of an archive of unknown origin, out of a zip file, out of a folder.

Nothing is unpacked to a disk. Members are read one by one into memory and bounded in number and size before
they are read; links, devices and names that lead elsewhere are refused.
"""

from __future__ import annotations

import gzip
import io
import os
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

#: The most files of a site.
MAX_FILES = 5_000
#: The most bytes of one file, and of all together, unpacked.
MAX_FILE_BYTES, MAX_BYTES = 64 * 1024 * 1024, 256 * 1024 * 1024

_BLOCK = 65_536
#: Names of an index page, first choice first.
INDEXES = ("index.html", "index.htm", "index.md", "index.markdown")
_VERSION_CONTROL = ".git"


def read_tar(raw: bytes) -> dict[str, bytes]:
    """Return the files of a .tar.gz or .tar by relative name, in the order of the archive.

    What lies under ``.git`` is left out. If everything lies in one folder and no index page beside it,
    the names are relative to that folder.

    Raises:
        ValueError: It is not such an archive, is too large, or holds something other than files and folders.
    """
    try:
        unpacked = _gunzip(raw) if raw.startswith(b"\x1f\x8b") else raw
        with tarfile.open(fileobj=io.BytesIO(unpacked), mode="r:") as archive:
            return _collected(_tar_members(archive))
    except (tarfile.TarError, EOFError, OSError, zlib.error) as error:
        raise ValueError(f"is not an archive of a site (.tar.gz): {error}") from None


def read_repository(raw: bytes) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """Return the files of a .tar.gz of a repository, and the names of what was left out.

    Repositories hold links now and then; a link is left out, and so is a file whose name is not UTF-8. All
    else is as in ``read_tar``.

    Raises:
        ValueError: It is not such an archive, is too large, or a name leads elsewhere.
    """
    left_out: list[str] = []
    try:
        unpacked = _gunzip(raw) if raw.startswith(b"\x1f\x8b") else raw
        with tarfile.open(fileobj=io.BytesIO(unpacked), mode="r:") as archive:
            return _collected(_tar_members(archive, left_out)), tuple(left_out)
    except (tarfile.TarError, EOFError, OSError, zlib.error) as error:
        raise ValueError(f"is not an archive of a site (.tar.gz): {error}") from None


def read_zip(raw: bytes) -> dict[str, bytes]:
    """Return the files of a .zip; see ``read_tar``.

    Raises:
        ValueError: It is not such an archive, is too large, or holds something other than files and folders.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            return _collected(_zip_members(archive))
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, zlib.error) as error:
        raise ValueError(f"is not a zip file of a site: {error}") from None


def read_site_folder(folder: Path) -> dict[str, bytes]:
    """Return the files of a folder by relative name, sorted.

    Raises:
        ValueError: It holds a link or a device, or is too large.
        OSError: Something cannot be read.
    """
    return _collected(_folder_members(folder))


def gunzip(raw: bytes) -> bytes:
    """Return what a gzip file holds.

    Raises:
        ValueError: It is none, or unpacks to more than ``MAX_BYTES``.
    """
    try:
        return _gunzip(raw)
    except (EOFError, OSError, zlib.error) as error:
        raise ValueError(f"is not a gzip file: {error}") from None


def _gunzip(raw: bytes) -> bytes:
    with gzip.GzipFile(fileobj=io.BytesIO(raw)) as packed:
        content = packed.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise ValueError(f"unpacks to more than {MAX_BYTES} bytes")
    return content


def _tar_members(archive: tarfile.TarFile, left_out: list[str] | None = None) -> Iterator[tuple[str, bytes]]:
    """Yield names and contents; ``left_out`` collects what is not a file, if that is not refused."""
    for member in archive:
        if member.isdir():
            continue
        if left_out is not None and not (member.isreg() and _is_text(member.name)):
            left_out.append(member.name.encode("utf-8", "replace").decode())
            continue
        if not member.isreg():
            raise ValueError(f"member {member.name!r} is a link or a device; only files and folders may be")
        _require_small(member.name, member.size)
        file = archive.extractfile(member)
        yield member.name, file.read() if file else b""


def _is_text(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:  # tarfile keeps bytes that are not UTF-8 as surrogates
        return False
    return True


def _zip_members(archive: zipfile.ZipFile) -> Iterator[tuple[str, bytes]]:
    for member in archive.infolist():
        if member.is_dir():
            continue
        kind = stat.S_IFMT(member.external_attr >> 16)
        if kind not in (0, stat.S_IFREG):
            raise ValueError(
                f"member {member.filename!r} is a link or a device; only files and folders may be"
            )
        _require_small(member.filename, member.file_size)
        with archive.open(member) as file:
            content = file.read(MAX_FILE_BYTES + 1)  # whatever its header says
        _require_small(member.filename, len(content))
        yield member.filename, content


def _folder_members(folder: Path) -> Iterator[tuple[str, bytes]]:
    for base, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != _VERSION_CONTROL)
        for name in sorted(names):
            path = Path(base) / name
            status = path.lstat()
            if not stat.S_ISREG(status.st_mode):
                raise ValueError(f"{path} is a link or a device; only files and folders may be")
            _require_small(str(path), status.st_size)
            yield path.relative_to(folder).as_posix(), path.read_bytes()


def _require_small(name: str, size: int) -> None:
    if size > MAX_FILE_BYTES:
        raise ValueError(f"{name!r} has {size} bytes, more than {MAX_FILE_BYTES}")


def _collected(members: Iterator[tuple[str, bytes]]) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    size = 0
    for name, content in members:
        path = inside(name)
        if PurePosixPath(path).parts[0] == _VERSION_CONTROL:
            continue
        size += len(content)
        files[path] = content
        if len(files) > MAX_FILES or size > MAX_BYTES:
            raise ValueError(f"holds more than {MAX_FILES} files or {MAX_BYTES} bytes")
    return _without_top(files)


def inside(name: str) -> str:
    """Return a relative path in its plain form.

    Raises:
        ValueError: It is empty, absolute, or leads out of the folder.
    """
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if name.startswith("/") or not parts or ".." in parts or "\\" in name or "\0" in name:
        raise ValueError(f"name {name!r} is not a path inside of the site")
    return "/".join(parts)


def _without_top(files: dict[str, bytes]) -> dict[str, bytes]:
    tops = {name.partition("/")[0] for name in files}
    if len(tops) != 1 or any("/" not in name for name in files):
        return files
    (top,) = tops
    inner = {name.removeprefix(f"{top}/"): content for name, content in files.items()}
    return inner if any(name in inner for name in INDEXES) else files
