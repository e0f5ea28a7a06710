"""What the imports of chart benchmarks share: charts with programs, and the files that programs read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from i2s_sdk.errors import DataError
from i2s_sdk.json_text import read_json

TASK = "chart"
#: Suffixes of files that programs read as data.
DATA_SUFFIXES = frozenset({".csv", ".tsv", ".txt", ".dat", ".json", ".npy", ".npz", ".xls", ".xlsx"})
#: The most bytes of one file of data.
MAX_DATA_BYTES = 16 * 2**20

_QUOTED = re.compile(r"""["']([^"'\n]{1,200})["']""")


def data_files(program: str, folder: Path) -> Mapping[str, bytes]:
    """Return the files of data that a program names and that lie in its folder, by their relative paths.

    Args:
        program: Its code. A file counts if its relative path is a text in quotes there.
        folder: Folder in which the program lies; nothing outside of it is read.

    Raises:
        ValueError: A file is too large or cannot be read.
    """
    found: dict[str, bytes] = {}
    root = folder.resolve()
    for name in sorted(set(_QUOTED.findall(program))):
        relative = Path(name)
        if relative.suffix.lower() not in DATA_SUFFIXES or relative.is_absolute():
            continue
        path = (root / relative).resolve()
        if not path.is_relative_to(root) or not path.is_file():
            continue
        if path.stat().st_size > MAX_DATA_BYTES:
            raise ValueError(f"{name} has more than {MAX_DATA_BYTES} bytes")
        found[path.relative_to(root).as_posix()] = read_bytes(path)
    return found


def read_bytes(path: Path) -> bytes:
    """Return the content of a file.

    Raises:
        ValueError: It cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise ValueError(f"{path.name} cannot be read: {error.strerror}") from None


def json_lines(file: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the objects of a file with one JSON object a line, each with the number of its line.

    Raises:
        DataError: The file cannot be read, or a line is no JSON object; names it.
    """
    number = 0
    try:
        with file.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    found = read_json(line)
                    if not isinstance(found, dict):
                        raise DataError(file, number, "is not a JSON object")
                    yield number, found
    except OSError as error:
        raise DataError(file, number, f"cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise DataError(file, number, f"is not JSON: {error}") from None
