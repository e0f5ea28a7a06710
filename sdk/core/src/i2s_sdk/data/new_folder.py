"""Folders of new data sets: whole, or not there."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from i2s_sdk.data.folder import INDEX, read_folder
from i2s_sdk.errors import UsageError
from i2s_sdk.writing import writing


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """Make a folder for a data set; if the block ends with an error nothing of it stays.

    Args:
        folder: Must not exist, or be empty.

    Raises:
        UsageError: The folder is not empty.
        WriteError: It cannot be written.
    """
    with writing(folder):
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise UsageError(f"{folder} is there already and not empty; name a new folder")
        folder.mkdir(parents=True, exist_ok=True)
        try:
            yield folder
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)  # it was not there, or empty
            raise


def write_index(folder: Path, lines: Iterable[Mapping[str, Any]]) -> int:
    """Write the index of a data set, read it again and return how many instances it has.

    Args:
        folder: Folder in which the files of the lines lie, or are written while the lines are taken.
        lines: Lines of data format 2.

    Raises:
        DataError: A line is not as its task wants it, or there is none; names it.
    """
    with (folder / INDEX).open("w", encoding="utf-8") as index:
        for line in lines:
            index.write(json.dumps(line, ensure_ascii=False) + "\n")
    return len(read_folder(folder).instances)


def put_by_content(folder: Path, part: str, content: bytes, suffix: str) -> str:
    """Write a file under the SHA-256 of its content and return its path relative to the folder."""
    name = f"{part}/{hashlib.sha256(content).hexdigest()}{suffix}"
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    return name
