"""When two texts, or two numbers, match."""

from __future__ import annotations

import re
from typing import Any

from rapidfuzz.distance import Levenshtein

#: Characters that exact comparison of texts leaves out, beside white space.
_DROPPED = re.compile(r"[\s,./_*^!?:;()\[\]{}\"'\\-]+")
#: Fuzzy texts match above this similarity of words, fuzzy numbers below this relative difference.
_LEAST_SIMILARITY, _MOST_DIFFERENCE = 0.8, 0.05


def same_text(answer: str, gold: str, *, fuzzy: bool) -> bool:
    """Return whether two texts match.

    Exact: they are equal once white space and punctuation are left out and letters are lower case. Fuzzy:
    the Levenshtein distance of their words, divided by the larger number of words, is less than 0.2; words
    are compared as they are written.
    """
    if not fuzzy:
        return _DROPPED.sub("", answer).lower() == _DROPPED.sub("", gold).lower()
    words, gold_words = answer.split(), gold.split()
    longest = max(len(words), len(gold_words))
    if longest == 0:
        return True
    return 1 - Levenshtein.distance(words, gold_words) / longest > _LEAST_SIMILARITY


def same_number(answer: float, gold: float, *, fuzzy: bool) -> bool:
    """Return whether two numbers match; a boolean is 0 or 1.

    Both are compared as floating point numbers of 64 bits, integers beyond their range as they are. Exact:
    their values are equal. Fuzzy: their difference is less than 0.05 of the larger absolute value.
    """
    try:
        answer, gold = float(answer), float(gold)
    except OverflowError:
        return answer == gold
    if answer == gold or not fuzzy:
        return answer == gold
    return abs(answer - gold) / max(abs(answer), abs(gold)) < _MOST_DIFFERENCE


def is_number(value: Any) -> bool:  # noqa: ANN401 - a JSON value
    """Return whether a value is a number or a boolean."""
    return isinstance(value, int | float)
