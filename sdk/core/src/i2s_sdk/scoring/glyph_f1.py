"""Glyph F1: how much of what two engines drew agrees, whatever its size.

Tokens are the characters (with their style), rules and other shapes of a page in the order in which they are
drawn. They are aligned in that order so that as many as possible are equal in identity and in relative size.
A character of another relative size, or in another family of ordinary fonts (sans serif, typewriter, italic),
counts half; one in bold, script, fraktur or blackboard letters is another token. Between successive aligned
tokens, the step from one to the next is compared. With aligned tokens that count T, S equal steps, and n and
m tokens on the two sides, the value is 2 (T + S) / (n + m + (n - 1) + (m - 1)).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from i2s_sdk.scoring.page_tokens import Token

#: Tokens of a side that are aligned; those after them count as not equal.
MOST_TOKENS = 3000

_HALF = 0.5  # what a character counts that is of another relative size or in another family of fonts
_SIZE = 0.13  # share by which the relative size of two equal characters may differ
_ACROSS, _ALONG = 0.55, 0.1  # of the size of the text (arrays have margins), and of the length of the step
_DOWN = 0.15  # of the size of the text
# A step down by more than the first, of the size, leads to another line; the second is of its length.
_LINE, _SKIP = 0.6, 0.3
_STRETCH = 0.35  # of the size of the text: by how much shapes may differ
_NEIGHBOUR = 0.3  # what an equal step adds to the weight of each of its ends in the alignment
_BLOCK = 256  # rows

_Array = NDArray[np.float64]
_Index = slice | tuple[slice | None, slice | None]


class _Side:
    """The tokens of one side as arrays."""

    def __init__(self, tokens: Sequence[Token], scale: float = 1.0) -> None:
        self.size = np.array([token.size for token in tokens]) * scale
        self.x = np.array([(token.left + token.right) / 2 for token in tokens]) * scale
        self.y = np.array([(token.top + token.bottom) / 2 for token in tokens]) * scale
        self.width = np.array([token.width for token in tokens]) * scale
        self.height = np.array([token.height for token in tokens]) * scale
        self.stretches = np.array([token.stretches for token in tokens])


def glyph_f1(truth: Sequence[Token], prediction: Sequence[Token]) -> float:
    """Return the F1 of tokens and steps, from 0 to 1; 1 if both are empty, 0 if one is."""
    n, m = len(truth), len(prediction)
    if not n or not m:
        return float(n == m)
    ours, theirs = truth[:MOST_TOKENS], prediction[:MOST_TOKENS]
    equal = _equal([token.identity for token in ours], [token.identity for token in theirs])
    alike = _equal([token.plain_identity for token in ours], [token.plain_identity for token in theirs])
    identity = np.where(equal, 1.0, _HALF * alike).astype(np.float32)
    scale = _scale(ours, theirs, _aligned(identity))
    left, right = _Side(ours), _Side(theirs, scale)
    same = _same_size(left, right)
    fits = alike & (same | ~left.stretches[:, None])
    weights = np.where(equal & same, 1.0, _HALF) * fits
    after = np.zeros_like(fits)
    for top in range(0, len(ours) - 1, _BLOCK):  # in blocks, since all at once takes a gigabyte
        end = min(top + _BLOCK, len(ours) - 1)
        rows, columns = np.nonzero(fits[top + 1 : end + 1, 1:] & fits[top:end, :-1])
        rows += top
        agree = _steps(left, right, rows, rows + 1, columns, columns + 1)
        after[rows[agree] + 1, columns[agree] + 1] = True
    before = np.zeros_like(after)
    before[:-1, :-1] = after[1:, 1:]
    pairs = _aligned((weights + _NEIGHBOUR * after + _NEIGHBOUR * before).astype(np.float32))
    if not pairs:
        return 0.0
    i, j = np.array(pairs).T
    steps = int(_steps(left, right, i[:-1], i[1:], j[:-1], j[1:]).sum())
    counted = float(weights[i, j].sum())
    return 2 * (counted + steps) / (n + m + (n - 1) + (m - 1)) if n + m > 2 else counted


def contains(whole: Sequence[Token], part: Sequence[Token]) -> bool:
    """Return whether tokens stand among others, one after another and at the same places, in any size.

    Families of ordinary fonts do not count. A part without tokens is contained in nothing.
    """
    number = len(part)
    if not 0 < number <= len(whole):
        return False
    wanted = [token.plain_identity for token in part]
    there = [token.plain_identity for token in whole]
    order = np.arange(number)
    for start in range(len(whole) - number + 1):
        if there[start] != wanted[0] or there[start : start + number] != wanted:
            continue
        window = whole[start : start + number]
        scale = _scale(part, window, [(one, one) for one in range(number)])
        left, right = _Side(part), _Side(window, scale)
        every = np.s_[:]
        same_size = _agree_in_size(left, right, every, every)
        steps = _steps(left, right, order[:-1], order[1:], order[:-1], order[1:])
        if same_size.all() and steps.all():
            return True
    return False


def _equal(first: Sequence[str], second: Sequence[str]) -> NDArray[np.bool_]:
    """Return which texts of two sides are equal, of shape (first, second)."""
    numbers = {one: number for number, one in enumerate({*first, *second})}
    rows, columns = (np.array([numbers[one] for one in side]) for side in (first, second))
    equal: NDArray[np.bool_] = np.equal(rows[:, None], columns[None, :])
    return equal


def _scale(truth: Sequence[Token], prediction: Sequence[Token], pairs: Sequence[tuple[int, int]]) -> float:
    """Return how many times larger the truth is, by the characters that are aligned by their identity."""
    ratios = [
        truth[i].size / prediction[j].size
        for i, j in pairs
        if not truth[i].stretches and not prediction[j].stretches and prediction[j].size > 0
    ]
    if ratios:
        return float(np.median(ratios))
    heights = [
        max(token.bottom for token in side) - min(token.top for token in side) for side in (truth, prediction)
    ]
    return heights[0] / heights[1] if min(heights) > 0 else 1.0


def _same_size(left: _Side, right: _Side) -> NDArray[np.bool_]:
    return _agree_in_size(left, right, np.s_[:, None], np.s_[None, :])


def _agree_in_size(left: _Side, right: _Side, rows: _Index, columns: _Index) -> NDArray[np.bool_]:
    size = np.maximum(left.size[rows], right.size[columns])
    sized = np.abs(left.size[rows] - right.size[columns]) <= _SIZE * size
    stretched = np.ones_like(sized)
    for mine, other in ((left.width, right.width), (left.height, right.height)):
        most = _STRETCH * size + _STRETCH * np.minimum(mine[rows], other[columns])
        stretched &= np.abs(mine[rows] - other[columns]) <= most
    return np.where(left.stretches[rows], stretched, sized)


def _steps(
    left: _Side,
    right: _Side,
    i: NDArray[np.intp],
    k: NDArray[np.intp],
    j: NDArray[np.intp],
    o: NDArray[np.intp],
) -> NDArray[np.bool_]:
    """Return which steps from i to k agree with those from j to o."""
    size = np.maximum(left.size[i], left.size[k])
    across, down = left.x[k] - left.x[i], left.y[k] - left.y[i]
    dx, dy = np.abs(across - right.x[o] + right.x[j]), np.abs(down - right.y[o] + right.y[j])
    along = np.where(np.abs(down) > _LINE * size, _SKIP, _ALONG)
    agree: NDArray[np.bool_] = dx <= _ACROSS * size + _ALONG * np.abs(across)
    agree &= dy <= _DOWN * size + along * np.abs(down)
    return agree


def _aligned(weights: NDArray[np.float32]) -> list[tuple[int, int]]:
    """Return pairs of row and column, both ascending, with the greatest sum of weights; none of weight 0."""
    rows, columns = weights.shape
    best = np.zeros((rows + 1, columns + 1), np.float32)
    for row in range(rows):
        np.maximum(best[row, 1:], best[row, :-1] + weights[row], out=best[row + 1, 1:])
        np.maximum.accumulate(best[row + 1], out=best[row + 1])
    pairs = []
    row, column = rows, columns
    while row and column:
        value = best[row, column]
        if value == best[row - 1, column]:
            row -= 1
        elif value == best[row, column - 1]:
            column -= 1
        else:
            row, column = row - 1, column - 1
            pairs.append((row, column))
    return pairs[::-1]
