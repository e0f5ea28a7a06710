"""The provider of a model: it makes one attempt of one call, and says how that ended.

An attempt ends with an :class:`Answer`, or with one of::

    AttemptError
    ├── ThrottledError      too many calls: fewer at once, and later
    ├── FaultError          the server failed, was not reached, was too slow or answered nonsense: later
    └── RejectedError       the server does not accept this request: never again
        └── InputRejectedError   it rejects this one input, and would accept another

or with ModelAccessError, which ends the run. Retries, pace, cache and prices are not a provider's business.
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Protocol

from i2s_sdk.errors import UsageError
from i2s_sdk.models.completion import Finish
from i2s_sdk.models.options import FLAGS, ModelOptions
from i2s_sdk.models.question import ReadQuestion
from i2s_sdk.tasks.structure import Absence, NoStructure

#: Characters that are kept of the reasoning that a provider returns apart from the answer.
REASONING_CHARACTERS = 20_000

#: Words for the end of an answer by which servers of any protocol say that they failed on the way.
_FAILED = frozenset({"abort", "aborted", "error", "insufficient_system_resource"})


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a provider; its fields are those of ``Completion``."""

    text: str  #: verbatim; of a refusal, what was said instead of an answer
    finish: Finish
    tokens_in: int | None = None
    tokens_out: int | None = None
    served: str = ""
    reasoning: str = ""  #: at most REASONING_CHARACTERS are kept
    no_answer: NoStructure | None = None


class AttemptError(Exception):
    """An attempt had no answer.

    Args:
        message: What happened, in one line.
        retry_after_seconds: When the server wants to be asked again; None if it did not say.
    """

    def __init__(self, message: str, retry_after_seconds: float | None = None) -> None:
        super().__init__(message)
        self.message, self.retry_after_seconds = message, retry_after_seconds


class ThrottledError(AttemptError):
    """The server says that there are too many calls."""


class FaultError(AttemptError):
    """The server failed, was not reached, was too slow, or sent something other than an answer."""


class RejectedError(AttemptError):
    """The server does not accept this request; it would not accept it again."""


class InputRejectedError(RejectedError):
    """The server does not accept this one input: an image, or the length of the texts."""


class ProviderLike(Protocol):
    """An object that can stand for a provider: what a class of another package must have.

    It may have ``whole``, ``concurrency``, ``preflight``, ``decoding`` and ``ends_when_left`` as well; see
    :class:`ModelProvider`.
    """

    vendor: str
    model: str
    base_url: str
    repeatable: bool
    parameters: dict[str, Any]

    async def ask(self, question: ReadQuestion) -> Answer:
        """Make one attempt; see :class:`Provider`."""
        ...

    async def close(self) -> None:
        """Give back connections and processes."""
        ...


class ModelProvider(abc.ABC):
    """Asks one model."""

    #: Vendor, such as "openai"; part of the key of a kept answer.
    vendor: str
    #: Name of the model as the vendor has it.
    model: str
    #: Address of the server; empty if there is none.
    base_url: str = ""
    #: Whether an answer may be kept and given again: the name says which model answers.
    repeatable: bool = False
    #: Everything else that is sent and decides the answer.
    parameters: dict[str, Any]
    #: Names of the further options of a call that it sends (i2s_sdk.models.options).
    decoding: frozenset[str] = frozenset(FLAGS)
    #: Whether it answers documents as a whole, so that questions name files, instead of page by page.
    whole: bool = False
    #: Maximum number of calls at the same time; 0 leaves it to the options.
    concurrency: int = 0
    #: Whether it is asked a small question before a run begins (i2s_sdk.models.provider_model).
    preflight: bool = False
    #: Whether the work on a question ends when ``ask`` is cancelled, rather than going on at a server.
    ends_when_left: bool = False
    #: Called with one line about batches that are waited for; None calls nobody.
    on_wait: Callable[[str], None] | None = None

    @property
    def name(self) -> str:
        """The name of the model in runs, as ``--model`` has it."""
        return f"{self.vendor}/{self.model}"

    def require_options(self, options: ModelOptions) -> None:
        """Check that the further options that were given can be sent.

        Raises:
            UsageError: One cannot; names it.
        """
        if refused := [FLAGS[name] for name in options.chosen if name not in self.decoding]:
            takes = [flag for name, flag in FLAGS.items() if name in self.decoding]
            taken = ", ".join(takes) or "none of these options"
            raise UsageError(f"model {self.name!r} cannot be given {', '.join(refused)}; it takes {taken}")

    @abc.abstractmethod
    async def ask(self, question: ReadQuestion) -> Answer:
        """Make one attempt.

        Raises:
            AttemptError: There is no answer.
            ModelAccessError: There will never be one.
        """

    async def close(self) -> None:  # noqa: B027 - does nothing unless overridden
        """Give back connections and processes."""

    @property
    def single(self) -> ModelProvider:
        """The provider that makes single calls of the same model."""
        return self

    async def is_under_way(self, key: str) -> bool:
        """Return whether a batch that was sent before holds a question.

        Args:
            key: The cache key of the question.
        """
        return False

    async def leave(self, key: str) -> None:  # noqa: B027 - as above
        """Send a question that a batch under way holds anew: the batch was sent by another run.

        Args:
            key: The cache key of the question.
        """


def as_provider(provider: ProviderLike | ModelProvider) -> ModelProvider:
    """Return an object that can stand for a provider as a provider."""
    return provider if isinstance(provider, ModelProvider) else _ForeignProvider(provider)


class _ForeignProvider(ModelProvider):
    """An object of a class that does not derive from ``Provider``."""

    def __init__(self, provider: ProviderLike) -> None:
        self._provider = provider
        self.vendor, self.model, self.base_url = provider.vendor, provider.model, provider.base_url
        self.repeatable, self.parameters = provider.repeatable, provider.parameters
        self.decoding = frozenset(getattr(provider, "decoding", FLAGS))
        self.whole = bool(getattr(provider, "whole", False))
        self.concurrency = int(getattr(provider, "concurrency", 0) or 0)
        self.preflight = bool(getattr(provider, "preflight", False))
        self.ends_when_left = bool(getattr(provider, "ends_when_left", False))

    async def ask(self, question: ReadQuestion) -> Answer:
        """See ``Provider``."""
        return await self._provider.ask(question)

    async def close(self) -> None:
        """See ``Provider``."""
        await self._provider.close()


def require_whole(finish: str, error: object = None) -> None:
    """Check that a server has finished an answer, whole or cut off.

    Args:
        finish: Why the answer ends, in the words of the server.
        error: What the server says of a failure beside the answer; None if it says nothing.

    Raises:
        FaultError: It failed on the way.
    """
    if error or finish.lower() in _FAILED:
        match error:
            case {"message": message, **rest}:
                words = f"{rest['code']}: {message}" if rest.get("code") else message
            case _:
                words = error
        said = f": {one_line(words)}" if words else ""
        raise FaultError(f"the server failed within the answer (finish {finish or 'not given'!r}){said}")


def with_reasoning(
    answer: Answer, reasoning: str, *, hidden: bool = False, tools: Iterable[str] = ()
) -> Answer:
    """Return an answer with its reasoning, and the reason why it is none if its text is empty.

    Args:
        answer: Text, finish and tokens.
        reasoning: Reasoning apart from the text; empty if none came.
        hidden: Whether there was reasoning that the server does not show.
        tools: Names of tools that the model called; it was given none.
    """
    kept = reasoning[:REASONING_CHARACTERS]
    no_answer = None
    if not answer.text.strip() and answer.finish not in (Finish.REFUSED, Finish.TOO_LONG):
        if called := list(tools):
            names = ", ".join(repr(one_line(name, 80)) for name in called if name)
            which = f"the tool{'s' if len(called) > 1 else ''} {names}" if names else "a tool"
            no_answer = NoStructure(f"the model called {which} instead of answering")
        elif reasoning.strip() or hidden:
            reason = "the model's reasoning came without an answer"
            if answer.finish is Finish.LENGTH:
                reason += ": it was cut off at the limit of tokens (--max-tokens)"
            no_answer = NoStructure(reason, Absence.ENDED_IN_REASONING)
    return replace(answer, reasoning=kept, no_answer=no_answer)


def one_line(text: object, most: int = 300) -> str:
    """Return the words of a server as one line of bounded length."""
    line = " ".join(str(text).split())
    return line if len(line) <= most else line[: most - 1] + "…"


def count(value: object) -> int | None:
    """Return a number of tokens, or None if a server says anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
