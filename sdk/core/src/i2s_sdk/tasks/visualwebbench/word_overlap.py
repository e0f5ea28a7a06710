"""The words that two texts have in common: ROUGE-1, ROUGE-2, ROUGE-L over sets of words, and F1 of SQuAD.

For ROUGE a text is cut into sentences at each full stop; a piece without any character is dropped, and a
piece of white space alone stays as a sentence of one empty word. Words are what stands between white space:
case and punctuation are kept and nothing is stemmed. All counts are of different words, not of occurrences.

ROUGE-L is the variant of summaries: of each sentence of the reference, the words of its longest common
subsequences with all sentences of the answer are united; see Lin, ROUGE, 2004, section 3.2.

Source of the definition of ROUGE: the package ``rouge`` 1.0.1 with ``exclusive=True``, which the released
evaluation of VisualWebBench calls. Source of the F1: Rajpurkar et al., SQuAD, 2016, section 6.1, which the
paper of VisualWebBench names for questions.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

#: What the reference implementation adds to the sum of precision and recall.
EPSILON = 1e-8


class EmptyTextError(ValueError):
    """A text has no sentence: it is empty, or consists of full stops alone."""


@dataclass(frozen=True, slots=True)
class RougeScores:
    """The F1 values of an answer against a reference, each from 0 to 1."""

    #: F1 of single words.
    rouge_1: float
    #: F1 of pairs of words that follow one another, across sentences.
    rouge_2: float
    #: F1 of the united longest common subsequences.
    rouge_l: float


def rouge_scores(answer: str, reference: str, epsilon: float = EPSILON) -> RougeScores:
    """Return the three values of an answer.

    Args:
        answer: Text to be measured.
        reference: Text that it is compared with.
        epsilon: Number that is added to precision + recall; 0 makes equal texts score exactly 1.

    Raises:
        EmptyTextError: One of the texts has no sentence.
    """
    answers, references = sentences(answer), sentences(reference)
    if not answers:
        raise EmptyTextError("Hypothesis is empty.")
    if not references:
        raise EmptyTextError("Reference is empty.")
    said, wanted = _words(answers), _words(references)
    pairs_said, pairs_wanted = set(pairwise(said)), set(pairwise(wanted))
    words_said, words_wanted = set(said), set(wanted)
    return RougeScores(
        f1(len(words_said & words_wanted), len(words_said), len(words_wanted), epsilon),
        f1(len(pairs_said & pairs_wanted), len(pairs_said), len(pairs_wanted), epsilon),
        f1(len(_united(answers, references)), len(words_said), len(words_wanted), epsilon),
    )


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, white space made one space."""
    return [" ".join(piece.split()) for piece in text.split(".") if piece]


def f1(common: int, said: int, wanted: int, epsilon: float = EPSILON) -> float:
    """Return the harmonic mean of precision and recall.

    Args:
        common: How many are in both.
        said: How many are in the answer.
        wanted: How many are in the reference.
        epsilon: Number that is added to precision + recall.
    """
    if not common:
        return 0.0
    precision, recall = common / said, common / wanted
    return 2.0 * ((precision * recall) / (precision + recall + epsilon))


def _words(pieces: Sequence[str]) -> list[str]:
    return [word for piece in pieces for word in piece.split(" ")]


def _united(answers: Sequence[str], references: Sequence[str]) -> set[str]:
    """Return the words of the longest common subsequences of all pairs of sentences."""
    united: set[str] = set()
    split = [answer.split(" ") for answer in answers]
    for reference in references:
        words = reference.split(" ")
        known = set(words)
        for said in split:
            # A word that the reference lacks is never taken, and where it stands decides nothing.
            united.update(common_subsequence(words, [word for word in said if word in known]))
    return united


def common_subsequence(reference: Sequence[str], answer: Sequence[str]) -> list[str]:
    """Return the longest common subsequence of two sentences.

    Of several that are equally long, it is the one that is found from the ends of both: equal words are
    taken, else the last word of the reference is dropped if only that keeps the length, else the last
    word of the answer. Time and memory grow with the product of the two lengths.

    Args:
        reference: Words.
        answer: Words.
    """
    drops = _drops(reference, answer)
    common: list[str] = []
    row, column = len(reference), len(answer)
    while row and column:
        if reference[row - 1] == answer[column - 1]:
            common.append(reference[row - 1])
            row, column = row - 1, column - 1
        elif drops[row - 1][column - 1]:
            row -= 1
        else:
            column -= 1
    common.reverse()
    return common


def _drops(reference: Sequence[str], answer: Sequence[str]) -> list[bytearray]:
    """Return, for each pair of beginnings, whether dropping the last word of the reference is better."""
    above = [0] * (len(answer) + 1)
    drops: list[bytearray] = []
    for word in reference:
        lengths = [0] * (len(answer) + 1)
        line = bytearray(len(answer))
        left = 0
        for column, other in enumerate(answer, start=1):
            if word == other:
                left = above[column - 1] + 1
            elif above[column] > left:
                left = above[column]
                line[column - 1] = 1
            lengths[column] = left
        drops.append(line)
        above = lengths
    return drops


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
