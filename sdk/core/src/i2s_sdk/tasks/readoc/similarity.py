"""How similar two texts are: by characters in order, and by their sets of words."""

from __future__ import annotations

from rapidfuzz.distance import Levenshtein

#: The share of the longer text by which it is expected to differ. It decides how much work is tried first,
#: and changes no value.
_EXPECTED_DISTANCE = 0.02


def edit_similarity(predicted: str, gold: str) -> float:
    """Return 1 − Levenshtein distance / length of the longer text, by code points; 1 if both are empty."""
    longer = max(len(predicted), len(gold))
    if not longer:
        return 1.0
    hint = int(longer * _EXPECTED_DISTANCE)
    return 1.0 - Levenshtein.distance(predicted, gold, score_hint=hint) / longer


def vocabulary_score(predicted: str, gold: str) -> float:
    """Return F1 of the sets of white-space tokens; 0 if they have none in common."""
    words, gold_words = set(predicted.split()), set(gold.split())
    common = len(words & gold_words)
    return 2 * common / (len(words) + len(gold_words)) if common else 0.0
