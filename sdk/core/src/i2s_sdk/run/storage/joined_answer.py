"""The answer of a sample with several questions, made of the answers to these."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from i2s_sdk.limits import COMPLETION_CHARACTERS
from i2s_sdk.models.model import Completion, Finish
from i2s_sdk.run.storage.answer import Answer
from i2s_sdk.run.storage.record import TokenUsage

#: Why completions end, beginning with what is told first of several.
_FINISHES = (Finish.TOO_LONG, Finish.REFUSED, Finish.LENGTH, Finish.OTHER, Finish.STOP)


def joined_answer(
    identity: str,
    answers: Sequence[Answer],
    join: Callable[[Sequence[str]], str],
    most_characters: int = COMPLETION_CHARACTERS,
) -> Answer:
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
        answer = Answer.of(identity, Completion(text, _finish(answers)), 0.0, most_characters)
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


def _finish(answers: Sequence[Answer]) -> Finish:
    found = {one.finish for one in answers}
    return next((one for one in _FINISHES if str(one) in found), Finish.OTHER)


def _sum(counts: Iterable[int | None]) -> int | None:
    found = list(counts)
    known = [one for one in found if one is not None]
    return sum(known) if known and len(known) == len(found) else None


def _cached_cost(answers: Sequence[Answer]) -> float:
    """Return what answers that were kept cost once, if others were paid for now."""
    kept = [one for one in answers if one.cached]
    return 0.0 if len(kept) == len(answers) else _cost(kept) or 0.0


def _cost(answers: Sequence[Answer]) -> float | None:
    known = [one.cost for one in answers if one.cost is not None]
    return math.fsum(known) if known and len(known) == len(answers) else None
