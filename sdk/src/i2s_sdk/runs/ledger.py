"""An append-only file of JSON lines with an index: what a stage has finished, by the id of the instance.

A line is whole on disk, or not there at all: one that a killed process left torn is cut off at the next
start. Of several lines of one id the last counts. In memory there is only where each line lies, and a mark.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Generic, TypeVar

from i2s_sdk.errors import DataError

M = TypeVar("M")

_BLOCK = 65_536


class Ledger(Generic[M]):
    """An open file of lines.

    Args:
        path: The file; made where it is not there.
        mark: Takes from a line what is wanted of every id without reading the file again.

    Raises:
        DataError: A line is not an object with an id; names it.
    """

    def __init__(self, path: Path, mark: Callable[[Mapping[str, Any]], M]) -> None:
        self.path = path
        self._mark = mark
        self._file = path.open("a+b", buffering=0)
        self._places: dict[str, tuple[int, int]] = {}
        self.marks: dict[str, M] = {}
        _cut_torn_line(self._file.fileno())
        for offset, raw, plain in _lines(path):
            self._note(plain, offset, len(raw))
        self._end = self._file.seek(0, os.SEEK_END)

    @classmethod
    @contextmanager
    def open(cls, path: Path, mark: Callable[[Mapping[str, Any]], M]) -> Iterator[Ledger[M]]:
        """Have the file open as long as the block lasts."""
        ledger = cls(path, mark)
        try:
            yield ledger
        finally:
            ledger._file.close()

    def append(self, plain: Mapping[str, Any]) -> None:
        """Keep a line; ``plain`` has an ``id``."""
        line = json.dumps(plain, allow_nan=False).encode("ascii") + b"\n"
        written = 0
        while written < len(line):
            written += self._file.write(line[written:])
        self._note(plain, self._end, len(line))
        self._end += len(line)

    def read(self, identity: str) -> dict[str, Any]:
        """Return the line of an id.

        Raises:
            KeyError: There is none.
        """
        offset, length = self._places[identity]
        plain: dict[str, Any] = json.loads(os.pread(self._file.fileno(), length, offset))
        return plain

    def __contains__(self, identity: object) -> bool:
        return identity in self._places

    def __len__(self) -> int:
        return len(self._places)

    def _note(self, plain: Mapping[str, Any], offset: int, length: int) -> None:
        self._places[plain["id"]] = (offset, length)
        self.marks[plain["id"]] = self._mark(plain)


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the lines of a file, of which there may be none; a torn one at its end is left out.

    Raises:
        DataError: Another line is not an object with an id; names it.
    """
    for _, _, plain in _lines(path):
        yield plain


def _lines(path: Path) -> Iterator[tuple[int, bytes, dict[str, Any]]]:
    if not path.exists():
        return
    offset = 0
    with path.open("rb") as lines:
        for number, raw in enumerate(lines, start=1):
            if not raw.endswith(b"\n"):
                return
            try:
                plain = json.loads(raw)
                if not isinstance(plain["id"], str):
                    raise TypeError("its id is not a text")
            except (ValueError, KeyError, TypeError) as error:
                raise DataError(path, number, f"is not a line of a run: {error!r}") from None
            yield offset, raw, plain
            offset += len(raw)


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
