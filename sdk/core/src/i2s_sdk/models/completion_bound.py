"""The maximum length of a completion, and the reading of bodies and lines in bounded memory.

A longer completion is not usable, and only its beginning is kept. Nothing of it is extracted, sent, or kept
in the cache. A response of a server or program is read only as far as a completion of the maximum can reach,
written as JSON in its longest form.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field, replace
from typing import TypeVar

from i2s_sdk.json_text import read_json
from i2s_sdk.models.completion import Completion, Finish
from i2s_sdk.models.provider import Answer
from i2s_sdk.settings import COMPLETION_CHARACTERS

#: Characters that are kept of a completion that is too long, so that people can see what it was.
KEPT_CHARACTERS = 1_000

_BYTES_PER_CHARACTER = 12  # of a character outside of the basic plane, as two escapes of JSON
_BYTES_AROUND = 1024 * 1024  # of everything else that stands in a message


Said = TypeVar("Said", Completion, Answer)


class AnswerTooLongError(Exception):
    """More bytes came than an answer may have; carries no answer."""


def most_bytes(most_characters: int) -> int:
    """Return the maximum size of a message that holds a completion of at most so many characters."""
    return _BYTES_PER_CHARACTER * most_characters + _BYTES_AROUND


def bounded_completion(completion: Said, most_characters: int = COMPLETION_CHARACTERS) -> Said:
    """Return a completion or answer; of one that is too long, its beginning, marked as such.

    A refusal stays one, with the beginning of its words.
    """
    if len(completion.text) <= most_characters:
        return completion
    finish = completion.finish if completion.finish is Finish.REFUSED else Finish.TOO_LONG
    return replace(completion, text=completion.text[:KEPT_CHARACTERS], finish=finish)


def too_long_reason(most_characters: int) -> str:
    """Return why a completion is not usable, for people."""
    return (
        f"not usable: too long: the completion has more than {most_characters} characters "
        "(--set completion_characters=N)"
    )


async def read_bounded(chunks: AsyncIterator[bytes], most: int) -> bytes:
    """Return all of a body.

    Raises:
        AnswerTooLongError: It has more than ``most`` bytes; the rest is not read.
    """
    body = bytearray()
    async for chunk in chunks:
        body += chunk
        if len(body) > most:
            raise AnswerTooLongError
    return bytes(body)


#: The answer of which nothing was kept.
TOO_LONG = Answer("", Finish.TOO_LONG)


#: Bytes that are read from a file or pipe at a time.
CHUNK = 1024 * 1024

_STRING = re.compile(rb'(?:[^"\\]++|\\.)*+', re.DOTALL)
_MARK = re.compile(rb'["{}\[\]:,]')
_WHOLE = re.compile(rb"-?[0-9]{1,15}")
_LONGEST_WHOLE = 16  # bytes
_LONGEST_ESCAPE = 12  # bytes
_LONGEST_OTHER = 65_536  # bytes of a text other than a completion


@dataclass(frozen=True, slots=True)
class LongLine:
    """A line that was too long to be held."""

    texts: dict[str, str]  #: texts of the outermost object, by name; of those in ``cut``, only the beginning
    cut: frozenset[str]  #: names of texts that were too long themselves
    numbers: dict[str, int] = field(default_factory=dict)  #: whole numbers of the outermost object, by name

    @property
    def entry(self) -> dict[str, str | int]:
        """Texts and numbers as an answer: "finish" says whether the completion is only a beginning."""
        finish = {"finish": str(Finish.TOO_LONG)} if "completion" in self.cut else {}
        return {**self.numbers, **self.texts, **finish}


class BoundedLines:
    """Makes lines of chunks.

    Args:
        most_characters: The most characters of a completion. A line that has no room for more is given whole.
    """

    def __init__(self, most_characters: int) -> None:
        self._most = most_bytes(most_characters)
        self._held = bytearray()
        self._long: _Outline | None = None
        self._read = 0  # bytes of the open line
        self.length = 0  #: bytes of the line that was given last

    def feed(self, chunk: bytes) -> Iterator[bytes | LongLine]:
        """Yield the lines that end in a chunk, without their line feeds."""
        *ended, rest = chunk.split(b"\n")
        for piece in ended:
            self._add(piece)
            yield self._taken()
        self._add(rest)

    def last(self) -> bytes | LongLine | None:
        """Return the text behind the last line feed; None if there is none."""
        return self._taken() if self._held or self._long is not None else None

    def _add(self, piece: bytes) -> None:
        self._read += len(piece)
        if self._long is None and len(self._held) + len(piece) > self._most:
            self._long = _Outline(self._most)
            self._long.feed(self._held)
            self._held = bytearray()
        if self._long is not None:
            self._long.feed(piece)
        else:
            self._held += piece

    def _taken(self) -> bytes | LongLine:
        line = bytes(self._held) if self._long is None else self._long.line()
        self._held.clear()
        self._long = None
        self.length, self._read = self._read, 0
        return line


async def bounded_lines(
    chunks: AsyncIterator[bytes], most_characters: int
) -> AsyncIterator[bytes | LongLine]:
    """Yield the lines that chunks make, without their line feeds; see ``BoundedLines``."""
    lines = BoundedLines(most_characters)
    async for chunk in chunks:
        for line in lines.feed(chunk):
            yield line
    last = lines.last()
    if last is not None:
        yield last


class _Outline:
    """The outermost texts and whole numbers of a JSON object that goes by in pieces."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._depth = 0
        self._inside = self._escaped = self._is_value = self._is_cut = False
        self._key = ""
        self._text: bytearray | None = None
        self._bare = b""  # the beginning of a value that is no text
        self._texts: dict[str, str] = {}
        self._numbers: dict[str, int] = {}
        self._cut: set[str] = set()

    def line(self) -> LongLine:
        return LongLine(self._texts, frozenset(self._cut), self._numbers)

    def feed(self, piece: bytes | bytearray) -> None:
        at = 0
        while at < len(piece):
            at = self._in_string(piece, at) if self._inside else self._outside(piece, at)

    def _outside(self, piece: bytes | bytearray, at: int) -> int:
        mark = _MARK.search(piece, at)
        end = len(piece) if mark is None else mark.start()
        if self._is_value and self._depth == 1 and len(self._bare) <= _LONGEST_WHOLE:
            self._bare += bytes(memoryview(piece)[at:end]).strip()[: _LONGEST_WHOLE + 1]
        if mark is None:
            return len(piece)
        if self._depth == 1 and mark.group() in b",}":
            self._close_bare()
        match mark.group():
            case b'"':
                self._inside, self._is_cut = True, False
                self._text = bytearray() if self._depth == 1 else None
            case b"{" | b"[":
                self._depth += 1
            case b"}" | b"]":
                self._depth -= 1
            case b":" if self._depth == 1:
                self._is_value = True
            case b"," if self._depth == 1:
                self._is_value = False
        return mark.end()

    def _in_string(self, piece: bytes | bytearray, at: int) -> int:
        start = at
        if self._escaped:
            self._escaped, at = False, at + 1
        string = _STRING.match(piece, at)
        end = string.end() if string else at
        if end < len(piece) and piece[end : end + 1] == b"\\":  # the escape goes on in the next piece
            self._escaped, end = True, end + 1
        if self._text is not None and not self._is_cut:
            self._text += memoryview(piece)[start:end]
            if len(self._text) > (self._most if self._key == "completion" else _LONGEST_OTHER):
                self._is_cut, self._text = True, self._text[:KEPT_CHARACTERS]
        if end < len(piece):  # the closing quotation mark
            self._inside = False
            self._close()
            end += 1
        return end

    def _close_bare(self) -> None:
        if self._key and self._is_value and _WHOLE.fullmatch(self._bare):
            self._numbers[self._key] = int(self._bare)
        self._bare = b""

    def _close(self) -> None:
        raw, self._text = self._text, None
        if raw is None:
            return
        cut = self._is_cut
        text = _beginning(raw) if cut else _decoded(bytes(raw))
        if text is None:
            return
        if not self._is_value:
            self._key = text
        elif self._key:
            self._texts[self._key] = text
            if cut:
                self._cut.add(self._key)


def _decoded(raw: bytes) -> str | None:
    try:
        value = read_json(b'"' + raw + b'"')
    except ValueError:
        return None
    return value if isinstance(value, str) else None


def _beginning(raw: bytearray) -> str | None:
    """Return the first characters of a text that is JSON; an escape or character may be cut in the middle."""
    size = KEPT_CHARACTERS
    for shorter in range(_LONGEST_ESCAPE):
        text = _decoded(bytes(raw[: size - shorter]))
        if text is not None:
            return text
    return None
