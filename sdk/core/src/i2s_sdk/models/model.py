"""The model of a run: it answers questions with completions."""

from __future__ import annotations

import abc
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol

from i2s_sdk.instances.instance import Instance
from i2s_sdk.models.completion import Completion, Finish
from i2s_sdk.models.options import ModelOptions
from i2s_sdk.tasks.question import Question

__all__ = [
    "CallJournal",
    "Completion",
    "Finish",
    "Model",
    "ModelLike",
    "answers_whole",
    "as_model",
    "close_model",
]


class CallJournal(Protocol):
    """The journal of a run, in which calls of a model are written down before they are made."""

    def __call__(self, identity: str, question: str = "") -> Awaitable[str]:
        """Write down that a call begins, and return its name once that is on disk.

        Args:
            identity: Id of the instance.
            question: Name of the question, if the instance has several.
        """
        ...

    def last(self, identity: str, question: str = "") -> str:
        """Return the name of the latest call of this run for a question; empty if there was none."""
        ...

    def is_last(self, identity: str, name: str, question: str = "") -> bool:
        """Return whether the latest call of this run for a question is the one of this name."""
        ...


class ModelLike(Protocol):
    """An object that can stand for a model: what a class of your own must have.

    It may have ``whole``, ``concurrency``, ``on_call``, ``on_wait``, ``prepare`` and ``close`` of
    :class:`Model` as well.
    """

    name: str
    fingerprint: str

    async def complete(self, instance: Instance, question: Question) -> Completion:
        """Return the completion of one question; see :class:`Model`."""
        ...


class Model(abc.ABC):
    """Something that answers questions. Everything but ``name`` and ``complete`` has a default."""

    #: Name as a run is told apart by, such as "oracle".
    name: str
    #: Digest of everything else that decides its answers and is known; empty if the name says all.
    fingerprint: str = ""
    #: Whether it answers a document with one completion, instead of page by page.
    whole: bool = False
    #: Maximum number of calls at the same time; 0 leaves it to the run.
    concurrency: int = 0
    #: Options of its calls; None if it calls nothing.
    options: ModelOptions | None = None
    #: Why it answers no further turns, in which a model is to correct its answer; empty if it is asked.
    single_turn: str = ""
    #: The journal of the run, where a call that may cost money is written down before it is made; None
    #: writes nothing. A run sets it.
    on_call: CallJournal | None = None
    #: Called with one line about what the model waits for; None calls nobody. A run sets it.
    on_wait: Callable[[str], None] | None = None

    @abc.abstractmethod
    async def complete(self, instance: Instance, question: Question) -> Completion:
        """Return the completion of one question.

        Args:
            instance: Instance that the question is asked of.
            question: What is asked.

        Raises:
            ModelRefusedError: The model would not answer.
            ModelInputRejectedError: The server rejected this one question.
            ModelError: There is none for another reason; another attempt of the same run would not help.
            ModelAccessError: No call can be answered: key, name or account are wrong.
        """

    @property
    def sampling_fingerprint(self) -> str:
        """The fingerprint in a run whose questions have a sampling, which a chosen temperature replaces."""
        return self.fingerprint

    @property
    def takes_kept_answers(self) -> bool:
        """Whether answers are taken from the answer cache, and put into it."""
        return False

    async def is_kept(self, instance: Instance, question: Question) -> bool:
        """Return whether the answer cache has the answer to a question.

        Raises:
            DataError: An image cannot be read.
        """
        return False

    def no_turn(self, instance: Instance, question: str) -> str:
        """Return why there is no answer to the question of a further turn; empty if it is to be asked.

        Args:
            instance: Instance that it would be asked of.
            question: Name of the question, such as "turn-2".
        """
        return self.single_turn

    def prepare(self, instances: Sequence[Instance]) -> None:  # noqa: B027 - does nothing unless overridden
        """Learn which instances the run has, those of other shards among them; before the first question."""

    async def preflight(self, with_image: bool) -> None:  # noqa: B027 - as above
        """Ask a small question before anything is started, if the model is one that a server answers for.

        Args:
            with_image: Whether the question has an image, as those of the run have.

        Raises:
            ModelAccessError: There was no answer.
        """

    async def close(self) -> None:  # noqa: B027 - as above
        """Give back connections and processes."""


def as_model(model: ModelLike | Model) -> Model:
    """Return an object that can stand for a model as a model."""
    return model if isinstance(model, Model) else _ForeignModel(model)


def answers_whole(model: ModelLike | Model) -> bool:
    """Return whether a model answers a document with one completion, instead of page by page."""
    return as_model(model).whole


async def close_model(model: ModelLike | Model) -> None:
    """Give back what a model holds (connections, a program); one without ``close`` holds nothing."""
    await as_model(model).close()


class _ForeignModel(Model):
    """An object of a class that does not derive from ``Model``.

    This is the one place where it is looked for what an object of somebody else has.
    """

    def __init__(self, model: ModelLike) -> None:
        self._model: Any = model
        self.name, self.fingerprint = model.name, model.fingerprint
        self.whole = bool(getattr(model, "whole", False))
        self.concurrency = int(getattr(model, "concurrency", 0) or 0)

    @property
    def on_call(self) -> CallJournal | None:
        """See ``Model``; an object without it writes nothing."""
        return getattr(self._model, "on_call", None)

    @on_call.setter
    def on_call(self, journal: CallJournal | None) -> None:
        if hasattr(self._model, "on_call"):
            self._model.on_call = journal

    @property
    def on_wait(self) -> Callable[[str], None] | None:
        """See ``Model``; an object without it calls nobody."""
        return getattr(self._model, "on_wait", None)

    @on_wait.setter
    def on_wait(self, listener: Callable[[str], None] | None) -> None:
        if hasattr(self._model, "on_wait"):
            self._model.on_wait = listener

    async def complete(self, instance: Instance, question: Question) -> Completion:
        """See ``Model``."""
        completion: Completion = await self._model.complete(instance, question)
        return completion

    def prepare(self, instances: Sequence[Instance]) -> None:
        """See ``Model``."""
        if hasattr(self._model, "prepare"):
            self._model.prepare(instances)

    async def close(self) -> None:
        """See ``Model``."""
        if hasattr(self._model, "close"):
            await self._model.close()
