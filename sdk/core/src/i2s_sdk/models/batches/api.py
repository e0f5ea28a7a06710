"""What the batch APIs of vendors have in common, and how the lines of their results are read.

Errors of a batch as a whole::

    AttemptError
    ├── ThrottledError, RejectedError   as of a single call
    └── FaultError                      as of a single call
        └── BatchGoneError              the vendor does not know the batch any more
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from i2s_sdk.json_text import read_json
from i2s_sdk.models.bounded_lines import BoundedLines, LongLine
from i2s_sdk.models.completion_bound import TOO_LONG
from i2s_sdk.models.provider import Answer, AttemptError, BatchableProvider, FaultError, one_line


class BatchGoneError(FaultError):
    """The vendor does not know a batch any more."""


@dataclass(frozen=True, slots=True)
class BatchRequest:
    """One question of a batch.

    Attributes:
        key: The name of the question in the batch: its SHA-256, see ``question_key``.
        body: The request as the vendor has it for a single call, without what concerns HTTP.
        headers: Headers that a single call would have beside the usual ones.
    """

    key: str
    body: dict[str, Any]
    headers: dict[str, str]


@dataclass(frozen=True, slots=True)
class BatchState:
    """The state of a batch.

    Attributes:
        ended: Whether there is nothing to wait for any more.
        answered: Number of questions that are answered, or have failed.
        fault: Why the batch failed as a whole; None if it did not.
    """

    ended: bool
    answered: int
    fault: AttemptError | None = None


#: What became of one question.
BatchResult = Answer | AttemptError


class BatchApi(Protocol):
    """The batch API of a vendor.

    Attributes:
        provider: The provider of single calls whose requests are sent.
        most_bytes: The most bytes of the requests of a batch.
        most_requests: The most requests of a batch.
    """

    @property
    def provider(self) -> BatchableProvider:
        """The provider of single calls whose requests are sent."""
        ...

    most_bytes: int
    most_requests: int

    async def send(self, name: str, requests: Sequence[BatchRequest]) -> str:
        """Send a batch and return its id.

        Args:
            name: A name of our own for it, by which ``find`` can find it.
            requests: The questions; their keys differ.

        Raises:
            AttemptError: It was not accepted.
            ModelAccessError: None will be.
        """
        ...

    async def find(self, name: str) -> str | None:
        """Return the id of a batch that was sent with a name; None if the vendor knows none, or no names."""
        ...

    async def state(self, batch: str) -> BatchState:
        """Return how far a batch is.

        Raises:
            BatchGoneError: The vendor does not know it any more.
            AttemptError: There was no answer.
            ModelAccessError: There will be none.
        """
        ...

    def results(self, batch: str) -> AsyncIterator[tuple[str, BatchResult]]:
        """Yield what became of each question of a batch that has ended, by its key.

        Raises:
            AttemptError: The results cannot be read.
            ModelAccessError: They never can be.
        """
        ...


async def result_lines(
    chunks: AsyncIterator[bytes], most_characters: int
) -> AsyncIterator[tuple[str, dict[str, Any] | Answer]]:
    """Yield the results of a file, by key: the line, or the answer of one that is too long to be read.

    Args:
        chunks: The bytes of the file.
        most_characters: The most characters of a completion.

    Raises:
        FaultError: A line is none.
    """
    lines = BoundedLines(most_characters)
    async for chunk in chunks:
        for line in lines.feed(chunk):
            if line:
                yield _result_line(line)
    last = lines.last()
    if last:
        yield _result_line(last)


def _result_line(line: bytes | LongLine) -> tuple[str, dict[str, Any] | Answer]:
    if isinstance(line, LongLine):
        return line.texts.get("custom_id", ""), TOO_LONG
    try:
        found = read_json(line)
    except ValueError:
        found = None
    match found:
        case {"custom_id": str(key)}:
            return key, found
    raise FaultError(
        f"a line of the results is none: {one_line(line[:200].decode('utf-8', 'replace'), 80)!r}"
    )
