"""The F1 of SQuAD: words in common after normalization.

Source: Rajpurkar et al., SQuAD, 2016, section 6.1, which the paper of VisualWebBench names for questions.
"""

from __future__ import annotations

import re
import string
from collections import Counter

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


def normalized(text: str) -> list[str]:
    """Return the words of a text in lower case, without ASCII punctuation and without English articles."""
    return _ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split()


def squad_f1(answer: str, gold: str) -> float:
    """Return the F1 of the words of two texts, occurrences counted, from 0 to 1.

    Two texts of which no word is left are equal and have 1; one of which none is left has 0.
    """
    said, wanted = normalized(answer), normalized(gold)
    if not said or not wanted:
        return float(said == wanted)
    common = (Counter(said) & Counter(wanted)).total()
    return 2.0 * common / (len(said) + len(wanted))
