"""How similar two texts are: by characters in order, and by their sets of words."""

from __future__ import annotations

from rapidfuzz.distance import Levenshtein


def edit_similarity(predicted: str, gold: str) -> float:
    """Return 1 − Levenshtein distance / length of the longer text, by code points; 1 if both are empty."""
    return 1.0 - float(Levenshtein.normalized_distance(predicted, gold))


def vocabulary_score(predicted: str, gold: str) -> float:
    """Return F1 of the sets of white-space tokens; 0 if they have none in common."""
    words, gold_words = set(predicted.split()), set(gold.split())
    common = len(words & gold_words)
    return 2 * common / (len(words) + len(gold_words)) if common else 0.0
