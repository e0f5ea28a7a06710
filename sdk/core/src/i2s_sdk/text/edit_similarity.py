"""The metric ``edit``: how much of one text has to change to become another."""

from __future__ import annotations

from collections.abc import Sequence

from rapidfuzz.distance import Levenshtein

from i2s_sdk.text.treebank import treebank
from i2s_wire.metrics.profile import Profile

#: What the metric is called in tables and records.
EDIT = "edit"


def edit_similarity(prediction: str, reference: str, profile: Profile = Profile.PAPER) -> float:
    """Return 1 − Levenshtein(tokens) / length of the longer token list.

    Profile ``helm`` first cuts the reference to as many characters as the prediction has, so a correct
    prefix scores 1, and scores 0 if either text has no token. Profile ``paper`` compares the whole
    texts; two texts without any token are equal.

    Args:
        prediction: Text of the structure that was rendered.
        reference: Text of the ground truth.
        profile: Profile whose rules are followed.

    Returns:
        A value in [0, 1], higher is better.

    Source: Image2Struct, section on metrics; the truncation is that of HELM's copyright metrics.
    """
    if profile is Profile.HELM:
        reference = reference[: len(prediction)]
    predicted, expected = treebank().tokenize(prediction), treebank().tokenize(reference)
    if not predicted and not expected and profile is Profile.HELM:
        return 0.0
    return token_similarity(predicted, expected)


def token_similarity(predicted: Sequence[str], expected: Sequence[str]) -> float:
    """Return 1 − Levenshtein distance / length of the longer list; two empty lists are equal.

    Args:
        predicted: Tokens of one text.
        expected: Tokens of the other one.

    Returns:
        A value in [0, 1], higher is better.
    """
    if not predicted and not expected:
        return 1.0
    return 1.0 - Levenshtein.distance(predicted, expected) / max(len(predicted), len(expected))
