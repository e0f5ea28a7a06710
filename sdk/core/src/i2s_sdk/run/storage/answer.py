"""What the stage "generate" keeps of a sample: a completion, a refusal, or why there is neither.

Of a sample with several questions there is an answer to each, and one of the sample that joins them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from i2s_sdk.errors import ModelError
from i2s_sdk.limits import COMPLETION_CHARACTERS
from i2s_sdk.models.completion_bound import bounded_completion, too_long_reason
from i2s_sdk.models.errors import ModelFailedError, ModelInputRejectedError, ModelRefusedError
from i2s_sdk.models.model import Completion, Finish
from i2s_sdk.plain_fields import plain_fields
from i2s_sdk.run.storage.asked import Asked
from i2s_sdk.run.storage.outcome import Outcome
from i2s_sdk.run.storage.record import Failure, TokenUsage
from i2s_sdk.run.storage.typed_fields import with_checked_fields
from i2s_sdk.tasks.structure import NoStructure

#: Fields that a line has only if they say something.
_OPTIONAL = frozenset({"question", "questions", "cached_cost", "asked", "reasoning", "cached_at"})


@dataclass(frozen=True, slots=True)
class Answer:
    """How a model was asked and what it said.

    Attributes:
        id: Id of the instance.
        completion: Verbatim; None if there is no answer.
        outcome: REFUSED, MODEL_FAILURE, INPUT_REJECTED, ENDED_IN_REASONING if the provider returned nothing
            but reasoning, or NO_STRUCTURE if the completion is too long or the model called a tool instead of
            answering; None if there is a completion to render.
        message: How the model refused, or why the completion is not usable.
        failure: Why there is no answer.
        finish: Why the completion ends where it does.
        usage: Its tokens.
        cost: Cost in US dollars; None if it is not known.
        cached: Whether it was kept from an earlier call and nothing was paid now.
        attempts: Calls made for it.
        seconds: Wall time in seconds from question to answer.
        question: Name of the question, if the instance has several and this is the answer to one of them.
        questions: Names of the questions whose answers this one joins, up to the first that ended the sample;
            empty if it joins none.
        cached_cost: Part of ``cost`` that was not paid now, if only some of the answers that this one joins
            were kept from earlier calls.
        asked: What the model was asked; None for an answer that joins others, and in older runs.
        reasoning: Reasoning that the provider returned apart from the completion, or its beginning; empty for
            none, for an answer that joins others, and in older runs.
        cached_at: When the answer was given, if it came from the answer cache, in ISO 8601; of one that joins
            others, the earliest of theirs. Empty if none came from it, and in older runs.
    """

    id: str
    completion: str | None = None
    outcome: Outcome | None = None
    message: str = ""
    failure: Failure | None = None
    finish: str = ""
    usage: TokenUsage = field(default_factory=TokenUsage)
    cost: float | None = None
    cached: bool = False
    attempts: int = 0
    seconds: float = 0.0
    question: str = ""
    questions: tuple[str, ...] = ()
    cached_cost: float = 0.0
    asked: Asked | None = None
    reasoning: str = ""
    cached_at: str = ""

    @property
    def final(self) -> bool:
        """Whether the model is not asked again."""
        return self.outcome is None or not self.outcome.asked_again

    @property
    def paid(self) -> float:
        """US dollars that are known to have been paid for it in this run; what it joins has its own."""
        return 0.0 if self.cached or self.cost is None or self.questions else self.cost

    @classmethod
    def of(
        cls,
        identity: str,
        completion: Completion,
        seconds: float,
        most_characters: int = COMPLETION_CHARACTERS,
    ) -> Answer:
        """Return the answer that a completion is; of one that is no answer, or too long, with the reason."""
        completion = bounded_completion(completion, most_characters)
        no_answer = completion.no_answer
        if completion.finish is Finish.TOO_LONG:
            no_answer = NoStructure(too_long_reason(most_characters))
        return cls(
            id=identity,
            completion=completion.text,
            outcome=None if no_answer is None else Outcome(str(no_answer.absence)),
            message="" if no_answer is None else no_answer.reason,
            finish=str(completion.finish),
            usage=TokenUsage(completion.tokens_in, completion.tokens_out),
            cost=completion.cost,
            cached=completion.cached,
            attempts=completion.attempts,
            seconds=seconds,
            reasoning=completion.reasoning,
            cached_at=completion.cached_at,
        )

    @classmethod
    def without(cls, identity: str, error: ModelError, seconds: float) -> Answer:
        """Return what remains if a model refused or failed, or its server rejected the input."""
        if isinstance(error, ModelRefusedError):
            said = cls.of(identity, error.completion, seconds)
            return replace(said, outcome=Outcome.REFUSED, message=error.message, finish=str(Finish.REFUSED))
        attempts = error.attempts if isinstance(error, ModelFailedError) else 0
        failure = Failure(type(error).__name__, error.message)
        rejected = isinstance(error, ModelInputRejectedError)
        outcome = Outcome.INPUT_REJECTED if rejected else Outcome.MODEL_FAILURE
        return cls(identity, outcome=outcome, failure=failure, attempts=attempts, seconds=seconds)

    def to_json(self) -> dict[str, Any]:
        """Return the answer as JSON has it; without names of questions if there is only one."""
        plain = {
            **plain_fields(replace(self, asked=None)),
            "outcome": str(self.outcome) if self.outcome else None,
        }
        plain["asked"] = self.asked.to_json() if self.asked else None
        return {name: value for name, value in plain.items() if value or name not in _OPTIONAL}

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Answer:
        """Return the answer of a line.

        Raises:
            KeyError, TypeError, ValueError: It is not an answer.
        """
        values = dict(plain)
        values["outcome"] = Outcome(values["outcome"]) if values.get("outcome") else None
        values["failure"] = (
            with_checked_fields(Failure(**values["failure"])) if values.get("failure") else None
        )
        values["questions"] = tuple(values.get("questions", ()))
        values["asked"] = Asked.from_json(values["asked"]) if values.get("asked") else None
        values["usage"] = with_checked_fields(TokenUsage(**values["usage"]))
        return with_checked_fields(cls(**values))


def is_final(plain: Mapping[str, Any]) -> bool:
    """Return whether the answer of a line is final; see ``Answer.final``.

    Raises:
        KeyError, ValueError: It is not an answer.
    """
    return plain["outcome"] is None or not Outcome(plain["outcome"]).asked_again
