"""Answers of samples: of a completion, of a failed call, or of the answers to several questions."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from i2s_sdk.errors import ModelError
from i2s_sdk.limits import COMPLETION_CHARACTERS
from i2s_sdk.models.completion_bound import bounded_completion, too_long_reason
from i2s_sdk.models.errors import ModelFailedError, ModelInputRejectedError, ModelRefusedError
from i2s_sdk.models.model import Completion, Finish
from i2s_sdk.run.storage.record import (
    Failure,
    Outcome,
    QuestionPart,
    SampleAnswer,
    StoredQuestion,
    TokenUsage,
)
from i2s_sdk.tasks.question import ImagePart, Question, TextPart, joined_texts
from i2s_sdk.tasks.structure import NoStructure
from i2s_sdk.visible import visible

#: Characters of a text of a question that are stored; of a longer one, the beginning is.
TEXT_CHARACTERS = 20_000

#: Images of a question that are stored with the run; further ones are only named.
MOST_IMAGES = 20

#: Why completions end, beginning with the reason that stands for several.
_FINISHES = (Finish.TOO_LONG, Finish.REFUSED, Finish.LENGTH, Finish.OTHER, Finish.STOP)


def answer_of(
    completion: Completion, seconds: float | None, most_characters: int = COMPLETION_CHARACTERS
) -> SampleAnswer:
    """Return the answer that a completion is; of one that is no answer, or too long, with the reason.

    Args:
        completion: What the model said.
        seconds: Wall time from question to answer; None if nothing was asked.
        most_characters: The most characters of a completion; a longer one is not usable.
    """
    completion = bounded_completion(completion, most_characters)
    no_answer = completion.no_answer
    if completion.finish is Finish.TOO_LONG:
        no_answer = NoStructure(too_long_reason(most_characters))
    return SampleAnswer(
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


def failed_answer(error: ModelError, seconds: float) -> SampleAnswer:
    """Return what remains if a model refused or failed, or its server rejected the input."""
    if isinstance(error, ModelRefusedError):
        refusal = answer_of(error.completion, seconds)
        return replace(refusal, outcome=Outcome.REFUSED, message=error.message, finish=str(Finish.REFUSED))
    rejected = isinstance(error, ModelInputRejectedError)
    return SampleAnswer(
        outcome=Outcome.INPUT_REJECTED if rejected else Outcome.MODEL_FAILURE,
        failure=Failure.of(error),
        attempts=error.attempts if isinstance(error, ModelFailedError) else 0,
        seconds=seconds,
    )


def joined_answer(
    answers: Sequence[SampleAnswer],
    join: Callable[[Sequence[str]], str],
    most_characters: int = COMPLETION_CHARACTERS,
) -> SampleAnswer:
    """Return the answer of a sample with several questions, made of the answers to these.

    An answer without a usable completion (refused, too long, failed, nothing but reasoning) ends the sample,
    which then ends as that answer does. Tokens and cost are the sums of those answers that are final, and not
    known if one of them is not; calls and seconds are those of all answers. It counts as stored by earlier
    calls if each was.

    Args:
        answers: Answers to the questions, in order, up to the first that ends the sample.
        join: The function that makes one text of all completions.
        most_characters: The most characters of the joined completion; a longer one is not usable.
    """
    final = [answer for answer in answers if answer.final]
    joined = next((answer for answer in answers if answer.outcome is not None), None)
    if joined is None:
        text = join([answer.completion or "" for answer in answers])
        joined = answer_of(Completion(text, _finish(answers)), 0.0, most_characters)
    return replace(
        joined,
        usage=TokenUsage(
            _sum(answer.usage.input_tokens for answer in final),
            _sum(answer.usage.output_tokens for answer in final),
        ),
        cost=_cost(final),
        cached=bool(final) and all(answer.cached for answer in final),
        attempts=sum(answer.attempts for answer in answers),
        seconds=round(math.fsum(answer.seconds or 0.0 for answer in answers), 4),
        question="",
        questions=tuple(answer.question for answer in answers),
        cached_cost=_cached_cost(final),
        asked=None,
        reasoning="",
        cached_at=min((answer.cached_at for answer in final if answer.cached_at), default=""),
    )


def stored_question(question: Question, images: Mapping[Path, str]) -> StoredQuestion:
    """Return a question as it is stored.

    Args:
        question: Question as the model is asked it.
        images: Digests of those of its images that the run stores.
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
    return StoredQuestion(parts, _bounded(question.system), _bounded(schema))


def image_paths(question: Question) -> Sequence[Path]:
    """Return the images of a question that a run stores, in order."""
    paths = [part.path for part in question.parts if isinstance(part, ImagePart)]
    return list(dict.fromkeys(paths))[:MOST_IMAGES]


def _bounded(text: str) -> str:
    left = len(text) - TEXT_CHARACTERS
    kept = f"{text[:TEXT_CHARACTERS]}\n… {left} more characters" if left > 0 else text
    return kept.encode("utf-8", "replace").decode()


def _finish(answers: Sequence[SampleAnswer]) -> Finish:
    present = {answer.finish for answer in answers}
    return next((finish for finish in _FINISHES if str(finish) in present), Finish.OTHER)


def _sum(counts: Iterable[int | None]) -> int | None:
    counts = list(counts)
    known = [count for count in counts if count is not None]
    return sum(known) if known and len(known) == len(counts) else None


def _cached_cost(answers: Sequence[SampleAnswer]) -> float:
    """Return what answers that were stored cost once, if others were paid for now."""
    stored = [answer for answer in answers if answer.cached]
    return 0.0 if len(stored) == len(answers) else _cost(stored) or 0.0


def _cost(answers: Sequence[SampleAnswer]) -> float | None:
    known = [answer.cost for answer in answers if answer.cost is not None]
    return math.fsum(known) if known and len(known) == len(answers) else None
