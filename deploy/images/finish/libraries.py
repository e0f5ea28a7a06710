"""Shared libraries: those that programs and libraries are linked with, and those that are missing."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import BinaryIO

_MAGIC = b"\x7fELF\x02\x01"  # of 64 bits, the lowest byte first, as on amd64 and arm64
_LOAD, _DYNAMIC = 1, 2  # types of program headers
_NEEDED, _STRINGS = 1, 5  # tags of the dynamic section
_PROGRAM_HEADER = struct.Struct("<IIQQQQQQ")
_ENTRY = struct.Struct("<qQ")


def linked_libraries(path: Path) -> tuple[str, ...]:
    """Return the names of the libraries that a program or library is linked with; none for another file."""
    with path.open("rb") as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            return ()
        file.seek(32)
        (start,) = struct.unpack("<Q", file.read(8))
        file.seek(54)
        size, count = struct.unpack("<HH", file.read(4))
        file.seek(start)
        headers = [_PROGRAM_HEADER.unpack(file.read(size)[: _PROGRAM_HEADER.size]) for _ in range(count)]
        loaded = [
            (address, offset, length)
            for kind, _, offset, address, _, length, _, _ in headers
            if kind == _LOAD
        ]
        for kind, _, offset, _, _, length, _, _ in headers:
            if kind == _DYNAMIC:
                file.seek(offset)
                entries = list(_ENTRY.iter_unpack(file.read(length // _ENTRY.size * _ENTRY.size)))
                names = [value for tag, value in entries if tag == _NEEDED]
                if names:
                    strings = _offset(next(value for tag, value in entries if tag == _STRINGS), loaded)
                    return tuple(_name(file, strings + value) for value in names)
    return ()


def missing_libraries(files: Iterable[Path]) -> dict[str, list[Path]]:
    """Return the libraries that files are linked with and that are none of the files, with their users."""
    names: set[str] = set()
    users: dict[str, list[Path]] = {}
    for path in files:
        names.add(path.name)
        if path.is_file() and not path.is_symlink():
            for library in linked_libraries(path):
                users.setdefault(library, []).append(path)
    return {library: paths for library, paths in sorted(users.items()) if library not in names}


def _offset(address: int, loaded: Sequence[tuple[int, int, int]]) -> int:
    """Return the place in the file of what is loaded at an address."""
    return next(
        offset + address - start for start, offset, length in loaded if start <= address < start + length
    )


def _name(file: BinaryIO, offset: int) -> str:
    file.seek(offset)
    return file.read(256).split(b"\0", 1)[0].decode()
