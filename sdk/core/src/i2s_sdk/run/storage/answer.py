"""The part of a record that the stage "generate" writes: a completion, a refusal, or why there is neither.

A sample with several questions has an answer to each, and one of the sample that joins them.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from i2s_sdk.errors import ModelError
from i2s_sdk.limits import COMPLETION_CHARACTERS
from i2s_sdk.models.completion_bound import bounded_completion, too_long_reason
from i2s_sdk.models.errors import ModelFailedError, ModelInputRejectedError, ModelRefusedError
from i2s_sdk.models.model import Completion, Finish
from i2s_sdk.plain_fields import plain_fields
from i2s_sdk.run.storage.record import Failure, Outcome, TokenUsage
from i2s_sdk.run.storage.typed_fields import with_checked_fields
from i2s_sdk.tasks.question import ImagePart, Question, TextPart, joined_texts
from i2s_sdk.tasks.structure import NoStructure
from i2s_sdk.visible import visible

#: Characters of a text of a question that are kept; of a longer one, the beginning is.
TEXT_CHARACTERS = 20_000

#: Images of a question that are kept with the run; further ones are only named.
MOST_IMAGES = 20


@dataclass(frozen=True, slots=True)
class QuestionPart:
    """A text or a file of a question.

    Attributes:
        text: The text; empty for a file.
        sha256: Digest of an image, by which the run keeps it; empty for a text, and for a file that the run
            does not keep.
        file: Name of a file without its folder; empty for a text.
    """

    text: str = ""
    sha256: str = ""
    file: str = ""


@dataclass(frozen=True, slots=True)
class StoredQuestion:
    """A question as it was asked: own prompts of the user and examples are in it.

    Attributes:
        parts: Texts and files in the order in which the model reads them.
        system: The system text; empty for none.
        schema: JSON Schema of the answer as JSON; empty for none.
    """

    parts: tuple[QuestionPart, ...]
    system: str = ""
    schema: str = ""

    @classmethod
    def of(cls, question: Question, images: Mapping[Path, str]) -> StoredQuestion:
        """Return a question as it is kept.

        Args:
            question: Question as the model is asked it.
            images: Digests of those of its images that the run keeps.
        """
        parts = tuple(
            QuestionPart(text=_bounded(part.text))
            if isinstance(part, TextPart)
            else QuestionPart(
                sha256=images.get(part.path, "") if isinstance(part, ImagePart) else "",
                file=visible(part.path.name),
            )
            for part in joined_texts(question)
        )
        schema = "" if question.json_schema is None else json.dumps(question.json_schema, indent=1)
        return cls(parts, _bounded(question.system), _bounded(schema))

    @property
    def images(self) -> tuple[str, ...]:
        """Digests of its images that the run keeps."""
        return tuple(one.sha256 for one in self.parts if one.sha256)

    def to_json(self) -> dict[str, Any]:
        """Return the question as JSON has it, without empty fields."""
        plain = plain_fields(self)
        plain["parts"] = [{name: own for name, own in part.items() if own} for part in plain["parts"]]
        return {name: own for name, own in plain.items() if own}

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> StoredQuestion:
        """Return a question that was kept. Texts that many questions have in common are there once.

        Raises:
            KeyError, TypeError, ValueError: It is no question.
        """
        parts = tuple(with_checked_fields(QuestionPart(**one)) for one in plain.get("parts", ()))
        shared = tuple(QuestionPart(sys.intern(one.text), one.sha256, one.file) for one in parts)
        texts = {name: plain.get(name, "") for name in ("system", "schema")}
        made = with_checked_fields(cls(shared, **texts))
        return cls(made.parts, sys.intern(made.system), sys.intern(made.schema))


def image_paths(question: Question) -> Sequence[Path]:
    """Return the images of a question that a run keeps, in order."""
    paths = [part.path for part in question.parts if isinstance(part, ImagePart)]
    return list(dict.fromkeys(paths))[:MOST_IMAGES]


def _bounded(text: str) -> str:
    left = len(text) - TEXT_CHARACTERS
    kept = f"{text[:TEXT_CHARACTERS]}\n… {left} more characters" if left > 0 else text
    return kept.encode("utf-8", "replace").decode()


#: Fields that a line has only if they say something.
_OPTIONAL_OF_ANSWER = frozenset({"question", "questions", "cached_cost", "asked", "reasoning", "cached_at"})


@dataclass(frozen=True, slots=True)
class SampleAnswer:
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
    asked: StoredQuestion | None = None
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
    ) -> SampleAnswer:
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
    def without(cls, identity: str, error: ModelError, seconds: float) -> SampleAnswer:
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
        return {name: value for name, value in plain.items() if value or name not in _OPTIONAL_OF_ANSWER}

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> SampleAnswer:
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
        values["asked"] = StoredQuestion.from_json(values["asked"]) if values.get("asked") else None
        values["usage"] = with_checked_fields(TokenUsage(**values["usage"]))
        return with_checked_fields(cls(**values))


def is_final(plain: Mapping[str, Any]) -> bool:
    """Return whether the answer of a line is final; see ``Answer.final``.

    Raises:
        KeyError, ValueError: It is not an answer.
    """
    return plain["outcome"] is None or not Outcome(plain["outcome"]).asked_again


#: Why completions end, beginning with what is told first of several.
_FINISHES = (Finish.TOO_LONG, Finish.REFUSED, Finish.LENGTH, Finish.OTHER, Finish.STOP)


def joined_answer(
    identity: str,
    answers: Sequence[SampleAnswer],
    join: Callable[[Sequence[str]], str],
    most_characters: int = COMPLETION_CHARACTERS,
) -> SampleAnswer:
    """Return the answer of a sample.

    An answer without a usable completion (refused, too long, failed, nothing but reasoning) ends the sample,
    which then ends as that answer does. Tokens and cost are the sums of those answers that are final, and not
    known if one of them is not; calls and seconds are those of all answers. It counts as kept from earlier
    calls if each was.

    Args:
        identity: Identity of the instance.
        answers: Answers to its questions, in order, up to the first that ends the sample.
        join: The function that makes one text of all completions.
        most_characters: The most characters of the joined completion; a longer one is not usable.
    """
    final = [one for one in answers if one.final]
    ended = next((one for one in answers if one.outcome is not None), None)
    if ended is not None:
        answer = ended
    else:
        text = join([one.completion or "" for one in answers])
        answer = SampleAnswer.of(identity, Completion(text, _finish(answers)), 0.0, most_characters)
    return replace(
        answer,
        usage=TokenUsage(
            _sum(one.usage.input_tokens for one in final), _sum(one.usage.output_tokens for one in final)
        ),
        cost=_cost(final),
        cached=bool(final) and all(one.cached for one in final),
        attempts=sum(one.attempts for one in answers),
        seconds=round(math.fsum(one.seconds for one in answers), 4),
        question="",
        questions=tuple(one.question for one in answers),
        cached_cost=_cached_cost(final),
        asked=None,
        reasoning="",
        cached_at=min((one.cached_at for one in final if one.cached_at), default=""),
    )


def _finish(answers: Sequence[SampleAnswer]) -> Finish:
    found = {one.finish for one in answers}
    return next((one for one in _FINISHES if str(one) in found), Finish.OTHER)


def _sum(counts: Iterable[int | None]) -> int | None:
    found = list(counts)
    known = [one for one in found if one is not None]
    return sum(known) if known and len(known) == len(found) else None


def _cached_cost(answers: Sequence[SampleAnswer]) -> float:
    """Return what answers that were kept cost once, if others were paid for now."""
    kept = [one for one in answers if one.cached]
    return 0.0 if len(kept) == len(answers) else _cost(kept) or 0.0


def _cost(answers: Sequence[SampleAnswer]) -> float | None:
    known = [one.cost for one in answers if one.cost is not None]
    return math.fsum(known) if known and len(known) == len(answers) else None
