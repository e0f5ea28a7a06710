"""How long a completion may be: a longer one is not usable, and only its beginning is kept.

Nothing of it is extracted, sent, or kept in the cache. What a server or program sends is read only as far as
a completion of the bound can reach, written as JSON in its longest form.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

from i2s_sdk.limits import COMPLETION_CHARACTERS
from i2s_sdk.models.model import Completion, Finish
from i2s_sdk.models.provider import Answer

#: Characters that are kept of a completion that is too long, so that people can see what it was.
KEPT_CHARACTERS = 1_000

_BYTES_PER_CHARACTER = 12  # of a character outside of the basic plane, as two escapes of JSON
_BYTES_AROUND = 1024 * 1024  # of everything else that stands in a message


class AnswerTooLongError(Exception):
    """More bytes came than an answer may have; carries no answer."""


def most_bytes(most_characters: int) -> int:
    """Return how many bytes a message may have that holds a completion of at most so many characters."""
    return _BYTES_PER_CHARACTER * most_characters + _BYTES_AROUND


def bounded_completion(completion: Completion, most_characters: int = COMPLETION_CHARACTERS) -> Completion:
    """Return a completion; of one that is too long, its beginning, marked as such.

    A refusal stays one, with the beginning of its words.
    """
    if len(completion.text) <= most_characters:
        return completion
    finish = completion.finish if completion.finish is Finish.REFUSED else Finish.TOO_LONG
    return replace(completion, text=completion.text[:KEPT_CHARACTERS], finish=finish)


def bounded_answer(answer: Answer, most_characters: int = COMPLETION_CHARACTERS) -> Answer:
    """Return the answer of a provider; see ``bounded_completion``."""
    if len(answer.text) <= most_characters:
        return answer
    finish = answer.finish if answer.finish is Finish.REFUSED else Finish.TOO_LONG
    return replace(answer, text=answer.text[:KEPT_CHARACTERS], finish=finish)


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
    found = bytearray()
    async for chunk in chunks:
        found += chunk
        if len(found) > most:
            raise AnswerTooLongError
    return bytes(found)


#: The answer of which nothing was kept.
TOO_LONG = Answer("", Finish.TOO_LONG)
