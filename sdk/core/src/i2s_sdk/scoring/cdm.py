"""CDM (character detection matching) of formulas, on the glyphs that an engine drew.

Source: arXiv 2409.03643 and the released code (UniMERNet 5a2c80d) for costs and rejection. The released code
finds the box of a token by giving each token a colour; here boxes come from the glyphs themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from i2s_sdk.scoring.assignment import best_assignment
from i2s_sdk.scoring.page_tokens import Token

#: The most boxes of a side; the matching of more takes too long.
MOST_BOXES = 1500

_PIXELS_PER_POINT = 200 / 72
_MARGIN, _WIDENED = 8, 1  # pixels
_TOKEN, _POSITION, _ORDER = 1.0, 0.05, 0.15
_THRESHOLD, _TRIALS, _ROUNDS, _SEED = 20.0, 50, 5, 42
_WORDS = frozenset(
    [
        "arccos", "arcsin", "arctan", "arg", "cos", "cosh", "cot", "coth", "csc", "deg", "det", "dim",
        "exp", "gcd", "hom", "inf", "ker", "lg", "lim", "liminf", "limsup", "ln", "log", "max", "min",
        "Pr", "sec", "sin", "sinh", "sup", "tan", "tanh"
    ]
)  # fmt: skip
# What the released code takes for equal: variants of Greek letters, and dots wherever they stand.
_SYNONYMS = {"ϵ": "ε", "ϑ": "θ", "ϕ": "φ", "ϖ": "π", "ϱ": "ρ", "ς": "σ", "·": "."}

_Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Box:
    """A token with left, top, right and bottom in pixels of its image."""

    token: str
    corners: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Detection:
    """The boxes of an image, in the order of its tokens, and its width and height in pixels."""

    boxes: tuple[Box, ...]
    size: tuple[float, float]


@dataclass(frozen=True, slots=True)
class CdmScore:
    """Counts of a pair."""

    #: Pairs that are accepted.
    accepted: int
    #: Boxes of the truth.
    truth: int
    #: Boxes of the prediction.
    prediction: int

    @property
    def f1(self) -> float:
        """2 accepted / (truth + prediction), 0 without boxes."""
        total = self.truth + self.prediction
        return 2 * self.accepted / total if total else 0.0


def detection(tokens: Sequence[Token]) -> Detection:
    """Return the boxes of a page as at 200 dots per inch, cropped with the margin of the released code.

    Pieces of one token are one box: the letters of an operator's name, a radical and its rule.
    """
    if not tokens:
        return Detection((), (0.0, 0.0))
    left, top = min(token.left for token in tokens), min(token.top for token in tokens)
    right, bottom = max(token.right for token in tokens), max(token.bottom for token in tokens)
    boxes = [_box(text, group, left, top) for text, group in _groups(tokens)]
    size = tuple(side * _PIXELS_PER_POINT + 2 * _MARGIN for side in (right - left, bottom - top))
    return Detection(tuple(boxes), (size[0], size[1]))


def _box(text: str, group: Sequence[Token], left: float, top: float) -> Box:
    sides = (
        (min(token.left for token in group) - left) * _PIXELS_PER_POINT + _MARGIN - _WIDENED,
        (min(token.top for token in group) - top) * _PIXELS_PER_POINT + _MARGIN - _WIDENED,
        (max(token.right for token in group) - left) * _PIXELS_PER_POINT + _MARGIN + _WIDENED,
        (max(token.bottom for token in group) - top) * _PIXELS_PER_POINT + _MARGIN + _WIDENED,
    )
    return Box(_SYNONYMS.get(text, text), sides)


def _groups(tokens: Sequence[Token]) -> list[tuple[str, Sequence[Token]]]:
    groups: list[tuple[str, Sequence[Token]]] = []
    place = 0
    while place < len(tokens):
        length = _length(tokens, place)
        group = tokens[place : place + length]
        text = group[0].text
        if length > 1 and text != "√":
            text = "".join(token.text for token in group)
        groups.append((text, group))
        place += length
    return groups


def _length(tokens: Sequence[Token], place: int) -> int:
    """Return how many tokens from a place on are one token of CDM."""
    token, rest = tokens[place], tokens[place : place + 6]
    if token.text == "√" and len(rest) > 1 and rest[1].text == "rule" and abs(rest[1].left - token.right) < 2:
        return 2
    if token.style == "" and token.text.isalpha() and token.text.isascii():
        if place and tokens[place - 1].style == "" and tokens[place - 1].text.isalpha():
            return 1
        run = 1
        while run < len(rest) and rest[run].style == "" and rest[run].text.isalpha():
            if rest[run].left - rest[run - 1].right > 0.2 * token.size:
                break
            run += 1
        if "".join(one.text for one in rest[:run]) in _WORDS:
            return run
    return 1


def cdm(truth: Detection, prediction: Detection) -> CdmScore:
    """Return how many boxes of two images match, with the costs and the rejection of the released code."""
    n, m = len(truth.boxes), len(prediction.boxes)
    if not n or not m:
        return CdmScore(0, n, m)
    costs, token_costs = _costs(truth, prediction)
    pairs = best_assignment(-costs)
    rows, columns = np.array(pairs).T
    kept = _consistent(_centres(truth)[rows], _centres(prediction)[columns])
    return CdmScore(int((kept & (token_costs[rows, columns] < 1)).sum()), n, m)


def _costs(truth: Detection, prediction: Detection) -> tuple[_Array, _Array]:
    n, m = len(truth.boxes), len(prediction.boxes)
    numbers = {box.token: place for place, box in enumerate((*truth.boxes, *prediction.boxes))}
    names = [np.array([numbers[box.token] for box in side.boxes]) for side in (truth, prediction)]
    token = (names[0][:, None] != names[1][None, :]).astype(np.float64)
    ours, theirs = (
        np.array([box.corners for box in side.boxes]) / np.array([*side.size, *side.size])
        for side in (truth, prediction)
    )
    position = np.abs(ours[:, None, :] - theirs[None, :, :]).mean(axis=2)
    order = np.abs(np.arange(n)[:, None] - np.arange(m)[None, :]) / max(n, m)
    return _TOKEN * token + _POSITION * position + _ORDER * order, token


def _centres(side: Detection) -> _Array:
    corners = np.array([box.corners for box in side.boxes])
    return np.stack([(corners[:, 1] + corners[:, 3]) / 2, (corners[:, 0] + corners[:, 2]) / 2], axis=1)


def _consistent(truth: _Array, prediction: _Array) -> NDArray[np.bool_]:
    """Return which pairs of centres one of up to five common scales and shifts explains (RANSAC)."""
    kept = np.zeros(len(truth), dtype=bool)
    if len(truth) <= 2:
        return ~kept
    for _ in range(_ROUNDS):
        left = np.flatnonzero(~kept)
        if len(left) <= 2:
            break
        inliers = _ransac(truth[left], prediction[left])
        if not inliers.any():
            break
        kept[left[inliers]] = True
    return kept


def _ransac(source: _Array, target: _Array) -> NDArray[np.bool_]:
    random = np.random.default_rng(_SEED)
    best, fewest, least = np.zeros(len(source), dtype=bool), 0, np.inf
    middle = source.mean(axis=0)
    for _ in range(_TRIALS):
        picked = random.choice(len(source), 2, replace=False)
        ours, theirs = source[picked], target[picked]
        spread = np.linalg.norm(ours - ours.mean(axis=0), axis=1).mean()
        scale = np.linalg.norm(theirs - theirs.mean(axis=0), axis=1).mean() / max(float(spread), 1e-10)
        moved = (source - middle) * scale + middle + (theirs.mean(axis=0) - ours.mean(axis=0))
        residuals = np.linalg.norm(moved - target, axis=1)
        inliers = residuals < _THRESHOLD
        count, error = int(inliers.sum()), float((residuals**2).sum())
        if count > fewest or (count == fewest and error < least):
            best, fewest, least = inliers, count, error
    return best
