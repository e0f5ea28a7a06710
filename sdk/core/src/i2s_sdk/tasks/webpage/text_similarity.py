"""Similarities of the texts of two pages, as difflib has them, each computed once."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Indel
from rapidfuzz.process import cdist

Matrix = NDArray[np.float32]

#: Pairs that are less alike are not matched.
LEAST_SIMILARITY = 0.5
_OVERHEAD = 500  # of comparing two texts, in products of characters


class TextSimilarities:
    """Similarities of texts; what the last request has in common with the next is computed once.

    Args:
        autojunk: Whether difflib leaves out what is frequent in texts of 200 characters.
    """

    def __init__(self, autojunk: bool) -> None:
        self._autojunk = autojunk
        self._rows: dict[str, int] = {}
        self._columns: dict[str, int] = {}
        self._values: Matrix = np.zeros((0, 0), np.float32)

    def matrix(self, rows: Sequence[str], columns: Sequence[str], characters: int) -> tuple[Matrix, int]:
        """Return the similarity of each row to each column, 0 if it is below LEAST_SIMILARITY.

        Args:
            rows: Texts.
            columns: Texts that they are compared with.
            characters: Products of lengths of pairs that difflib may compare; further pairs have the share of
                the longest common subsequence, 2·LCS/(a + b), which is never less.

        Returns:
            The similarities, and how many characters are left.
        """
        row_of, column_of = (
            {text: at for at, text in enumerate(dict.fromkeys(one))} for one in (rows, columns)
        )
        values: Matrix = np.zeros((len(row_of), len(column_of)), np.float32)
        old_rows, new_rows = _parted(row_of, self._rows)
        old_columns, new_columns = _parted(column_of, self._columns)
        values[_cells(row_of, column_of, old_rows, old_columns)] = self._values[
            _cells(self._rows, self._columns, old_rows, old_columns)
        ]
        for some_rows, some_columns in ((new_rows, list(column_of)), (old_rows, new_columns)):
            if some_rows and some_columns:
                part, characters = self._computed(some_rows, some_columns, characters)
                values[_cells(row_of, column_of, some_rows, some_columns)] = part
        self._rows, self._columns, self._values = row_of, column_of, values
        return values[_cells(row_of, column_of, rows, columns)], characters

    def _computed(self, rows: list[str], columns: list[str], characters: int) -> tuple[Matrix, int]:
        lengths = np.array([len(text) for text in rows]), np.array([len(text) for text in columns])
        values = _shares(rows, columns) if lengths[0].mean() > lengths[1].mean() else _shares(columns, rows).T
        cells = np.argwhere(((values > 0) & (values < 1)).T)
        costs = lengths[0][cells[:, 1]] * lengths[1][cells[:, 0]] + _OVERHEAD
        affordable = int(np.searchsorted(np.cumsum(costs), characters, side="right"))
        matcher, second = SequenceMatcher(None, autojunk=self._autojunk), -1
        for column, row in cells[:affordable].tolist():
            if second != column:
                matcher.set_seq2(columns[column])
                second = column
            matcher.set_seq1(rows[row])
            value = matcher.ratio()
            values[row, column] = value if value >= LEAST_SIMILARITY else 0.0
        return values, characters - int(costs[:affordable].sum())


def _shares(longer: Sequence[str], shorter: Sequence[str]) -> Matrix:
    """Return 2·LCS/(a + b), 0 if it is below LEAST_SIMILARITY; short columns take least time."""
    shares: Matrix = cdist(
        longer, shorter, scorer=Indel.normalized_similarity, score_cutoff=LEAST_SIMILARITY, dtype=np.float32
    )
    return shares


def _parted(texts: dict[str, int], known: dict[str, int]) -> tuple[list[str], list[str]]:
    """Return the texts that are known and those that are not."""
    return [text for text in texts if text in known], [text for text in texts if text not in known]


def _cells(
    row_of: dict[str, int], column_of: dict[str, int], rows: Sequence[str], columns: Sequence[str]
) -> tuple[NDArray[np.intp], ...]:
    return np.ix_(
        np.array([row_of[text] for text in rows], np.intp),
        np.array([column_of[text] for text in columns], np.intp),
    )
