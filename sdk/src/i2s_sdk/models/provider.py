"""What a provider is: it makes one attempt of one call, and says how that ended.

An attempt ends with an :class:`Answer`, or with one of::

    AttemptError
    ├── ThrottledError      too many calls: fewer at once, and later
    ├── FaultError          the server failed, was not reached, was too slow or answered nonsense: later
    └── RejectedError       the server does not accept this request: never again

or with ModelAccessError, which ends the run. Retries, pace, cache and prices are not a provider's business.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from i2s_sdk.models.model import Finish
from i2s_sdk.models.question import ReadQuestion


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a provider.

    Attributes:
        text: Verbatim; of a refusal, what was said instead of an answer.
        finish: Why it ends there.
        tokens_in: Tokens as the server counted them; None if it did not say.
        tokens_out: The same of the answer.
        served: Name of the model as the server gives it.
    """

    text: str
    finish: Finish
    tokens_in: int | None = None
    tokens_out: int | None = None
    served: str = ""


class AttemptError(Exception):
    """An attempt had no answer.

    Attributes:
        message: What happened, in one line.
        retry_after_seconds: When the server wants to be asked again; None if it did not say.
    """

    def __init__(self, message: str, retry_after_seconds: float | None = None) -> None:
        super().__init__(message)
        self.message, self.retry_after_seconds = message, retry_after_seconds


class ThrottledError(AttemptError):
    """The server says that there are too many calls."""


class FaultError(AttemptError):
    """The server failed, was not reached, was too slow, or answered what is no answer."""


class RejectedError(AttemptError):
    """The server does not accept this request; it would not accept it again."""


class Provider(Protocol):
    """Asks one model.

    It may have ``ends_when_left``: whether the work on a question ends when ``ask`` is cancelled; if it
    is absent, the work is taken to go on. It may have ``decoding``: the names of the further options of a
    call that it sends (i2s_sdk.models.decoding); if it is absent, it is taken to send all. It may have
    ``whole``: whether it answers documents as a whole, so that questions name files; if it is absent, it
    is asked page by page. It may have ``preflight``: whether it is asked a small question before a run begins
    (i2s_sdk.models.preflight); if it is absent, it is not.

    Attributes:
        vendor: Vendor, such as "openai"; part of what an answer is kept under.
        model: Name of the model as the vendor has it.
        base_url: Address of the server; empty if there is none.
        repeatable: Whether an answer may be kept and given again: the name says which model answers.
        parameters: Everything else that is sent and decides the answer.
    """

    vendor: str
    model: str
    base_url: str
    repeatable: bool
    parameters: dict[str, Any]

    async def ask(self, question: ReadQuestion) -> Answer:
        """Make one attempt.

        Raises:
            AttemptError: There is no answer.
            ModelAccessError: There will never be one.
        """
        ...

    async def close(self) -> None:
        """Give back connections and processes."""
        ...


@runtime_checkable
class Batched(Protocol):
    """What a provider has beside the rest that asks by batches.

    Attributes:
        single: The provider that makes single calls of the same model.
        on_wait: The function that is called with one line about the batches that are waited for; None calls
            nobody.
    """

    on_wait: Callable[[str], None] | None

    @property
    def single(self) -> Provider:
        """See the class."""
        ...

    async def is_under_way(self, key: str) -> bool:
        """Return whether a batch that was sent before holds a question.

        Args:
            key: The cache key of the question.
        """
        ...


def one_line(text: object, most: int = 300) -> str:
    """Return what a server said as one line of bounded length."""
    line = " ".join(str(text).split())
    return line if len(line) <= most else line[: most - 1] + "…"


def count(value: object) -> int | None:
    """Return a number of tokens, or None if a server says anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
