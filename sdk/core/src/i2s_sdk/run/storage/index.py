"""An append-only file of JSON lines with an index: what a stage has finished, by the id of the instance.

Lines of one of several questions of an instance have its name too. Of several lines of one key the last
counts. In memory there is only where each line lies, and a mark.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

from i2s_sdk.errors import DataError
from i2s_sdk.json_text import read_json
from i2s_sdk.run.storage.storage import AppendLog, Lines, RunStorage

M = TypeVar("M")
R = TypeVar("R")

#: What a line is found by: the id of the instance, or that and the name of one of its questions.
Key = str | tuple[str, str]


def key_of(identity: str, question: str = "") -> Key:
    """Return what the line of a question is found by; of a sample without a question.

    Args:
        identity: Identity of the instance.
        question: Its name; empty for the whole sample.
    """
    return (identity, question) if question else identity


def line_key(plain: Mapping[str, Any]) -> Key:
    """Return what a line is found by."""
    return key_of(plain["id"], plain.get("question", ""))


class JsonlIndex(Generic[M]):
    """An open file of lines.

    Args:
        journal: The file.
        mark: The function that takes from a line what is wanted of every id without reading the file again.

    Raises:
        DataError: A line is not an object with an id; names it.
    """

    def __init__(self, journal: AppendLog, mark: Callable[[Mapping[str, Any]], M]) -> None:
        self._journal = journal
        self._mark = mark
        self._places: dict[Key, tuple[int, int]] = {}
        self.marks: dict[Key, M] = {}
        for number, (offset, raw, plain) in enumerate(_parsed(journal), start=1):
            try:
                self._note(plain, offset, len(raw))
            except (ValueError, KeyError, TypeError) as error:
                raise _damaged(journal, number, error) from None

    @classmethod
    @contextmanager
    def open(
        cls, storage: RunStorage, name: str, mark: Callable[[Mapping[str, Any]], M]
    ) -> Iterator[JsonlIndex[M]]:
        """Have a file of a run open as long as the block lasts."""
        with storage.append_log(name) as journal:
            yield cls(journal, mark)

    def append(self, plain: Mapping[str, Any]) -> None:
        """Keep a line; ``plain`` has an ``id``."""
        line = json.dumps(plain, allow_nan=False).encode("ascii") + b"\n"
        self._note(plain, self._journal.append(line), len(line))

    async def wait_durable(self) -> None:
        """Return when everything that was appended survives this process.

        Raises:
            StoreError: The store does not take it.
        """
        await self._journal.wait_durable()

    def read(self, key: Key, parse: Callable[[Mapping[str, Any]], R]) -> R:
        """Return what the line of a key holds.

        Args:
            key: The id, or what ``key_of`` returns.
            parse: The function that takes it from the line; raises KeyError, TypeError or ValueError if it
                is not there.

        Raises:
            KeyError: There is no line of the key.
            DataError: It holds something else.
        """
        offset, length = self._places[key]
        try:
            return parse(read_json(self._journal.read(offset, length)))
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(str(self._journal), 0, f"the line of {key!r} is damaged: {error!r}") from None

    def __contains__(self, key: object) -> bool:
        return key in self._places

    def __len__(self) -> int:
        return len(self._places)

    def _note(self, plain: Mapping[str, Any], offset: int, length: int) -> None:
        key = line_key(plain)
        self._places[key] = (offset, length)
        self.marks[key] = self._mark(plain)


def read_lines(lines: Lines) -> Iterator[dict[str, Any]]:
    """Yield what the lines of a file say, of which there may be none; a torn one at its end is left out.

    Raises:
        DataError: A line is not an object with an id; names it.
    """
    for _, _, plain in _parsed(lines):
        yield plain


def _parsed(lines: Lines) -> Iterator[tuple[int, bytes, dict[str, Any]]]:
    for number, (offset, raw) in enumerate(lines, start=1):
        try:
            plain = read_json(raw)
            if not isinstance(plain["id"], str):
                raise TypeError("its id is not a text")
            if not isinstance(plain.get("question", ""), str):
                raise TypeError("its question is not a text")
        except (ValueError, KeyError, TypeError) as error:
            raise _damaged(lines, number, error) from None
        yield offset, raw, plain


def _damaged(lines: Lines, number: int, error: Exception) -> DataError:
    return DataError(str(lines), number, f"is not a line of a run: {error!r}")
