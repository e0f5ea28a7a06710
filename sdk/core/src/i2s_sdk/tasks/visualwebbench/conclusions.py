"""The candidate that an answer settles on: of the letters, boxes or points that it names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Generic

from i2s_sdk.tasks.visualwebbench.conclusion_words import tokens
from i2s_sdk.tasks.visualwebbench.statements import Candidate, Grade, Mention, StatementReader, T

_LABEL_MARK = re.compile(r"[*_`\"' ]{0,4}[.):\]–-]")


@dataclass(frozen=True, slots=True)
class Conclusion(Generic[T]):
    """What an answer settles on.

    Attributes:
        value: The candidate; None if there is none.
        named: The different candidates that are named and not excluded, in their order.
        excluded: The different candidates that are excluded, in their order.
    """

    value: T | None
    named: tuple[T, ...] = ()
    excluded: tuple[T, ...] = ()


def conclusion(text: str, candidates: Iterable[Candidate[T]]) -> Conclusion[T]:
    """Return what an answer settles on, in time proportional to its length.

    Args:
        text: The answer.
        candidates: Its places that name candidates, in order and apart.
    """
    reader: StatementReader[T] = StatementReader()
    place = 0
    marks: list[T] = []
    for candidate in candidates:
        for token in tokens(text, place, candidate.start):
            reader.take(token)
        inserted = text.count("(", place, candidate.start) > text.count(")", place, candidate.start)
        marked = _LABEL_MARK.match(text, candidate.end) is not None
        if marked and not candidate.doubtful:
            marks.append(candidate.value)
        reader.take_candidate(candidate, marked=marked, inserted=inserted)
        place = candidate.end
    for token in tokens(text, place, len(text)):
        reader.take(token)
    reader.finish()
    return _settled(reader.mentions, listed=_is_enumeration(marks))


def _settled(mentions: Sequence[Mention[T]], *, listed: bool) -> Conclusion[T]:
    """Return the conclusion from all mentions, in this order.

    The last conclusion; the last candidate that is named as a consequence; the one that matches or is
    labelled; the one that begins the answer, unless a list of the candidates does; the one that a copula
    gives ("it is C"); the only one that is named. A mention does not count if its candidate is excluded
    there or later.
    """
    excluded = {one.value: place for place, one in enumerate(mentions) if one.excluded}
    live = [one for place, one in enumerate(mentions) if excluded.get(one.value, -1) < place]
    named = tuple(dict.fromkeys(one.value for one in live))

    def settle(value: T) -> Conclusion[T]:
        return Conclusion(value, named, tuple(excluded))

    for grade in (Grade.CONCLUDED, Grade.CONSEQUENCE):
        last = [one.value for one in live if one.grade is grade][-1:]
        if last:
            return settle(last[0])
    matched = {one.value for one in live if one.grade is Grade.MATCHED}
    if len(matched) == 1:
        return settle(matched.pop())
    if not listed and not _is_list(mentions):
        for one in live:
            if one.leading:
                return settle(one.value)
    for least in (Grade.BARE, Grade.NONE):
        left = {one.value for one in live if one.grade >= least}
        if len(left) == 1:
            return settle(left.pop())
    return Conclusion(None, named, tuple(excluded))


def _is_list(mentions: Sequence[Mention[T]]) -> bool:
    """Return whether an answer begins as a list of the candidates in their order."""
    labels = [one for one in mentions if one.label][:2]
    return len(labels) > 1 and labels[0].leading and labels[0].value < labels[1].value


def _is_enumeration(marked: Sequence[T]) -> bool:
    """Return whether the candidates with a mark behind them are three or more, in their order."""
    return len(marked) > 2 and all(one < other for one, other in pairwise(marked))
