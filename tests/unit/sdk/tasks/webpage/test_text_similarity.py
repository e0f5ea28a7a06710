"""Similarities of texts, each computed once."""

from difflib import SequenceMatcher

import numpy as np
import pytest

from i2s_sdk.tasks.webpage.text_similarity import LEAST_SIMILARITY, TextSimilarities

ROWS = ["a pear", "two quinces", "a pear", "nothing"]
COLUMNS = ["a peer", "two quince", "two quinces", "###"]
MUCH = 1_000_000


def _difflib(rows: list[str], columns: list[str]) -> np.ndarray:
    values = [
        [SequenceMatcher(None, row, column, autojunk=False).ratio() for column in columns] for row in rows
    ]
    return np.where(np.array(values) >= LEAST_SIMILARITY, values, 0).astype(np.float32)


@pytest.mark.parametrize(
    ("rows", "columns"),
    [
        (ROWS, COLUMNS),
        (["a pear two quinces", *ROWS[2:]], COLUMNS),
        (ROWS[1:], ["two quinces ###", "a peer"]),
        ([], COLUMNS),
    ],
)
def test_values_are_those_of_difflib_also_after_another_request(rows: list[str], columns: list[str]) -> None:
    texts = TextSimilarities(False)
    texts.matrix(ROWS, COLUMNS, MUCH)
    values, _ = texts.matrix(rows, columns, MUCH)
    assert values.shape == (len(rows), len(columns))
    if rows:
        assert values == pytest.approx(_difflib(rows, columns))


def test_a_pair_is_paid_for_once() -> None:
    texts = TextSimilarities(False)
    _, left = texts.matrix(ROWS, COLUMNS, MUCH)
    assert left < MUCH
    assert texts.matrix(ROWS[::-1], COLUMNS[1:], left)[1] == left
    assert texts.matrix([*ROWS, "a pea"], COLUMNS, left)[1] < left


def test_without_characters_the_longest_common_subsequence_takes_the_place_of_difflib() -> None:
    values, left = TextSimilarities(False).matrix(["abxcd"], ["cdabx"], 10)
    assert left == 10
    assert values[0, 0] == pytest.approx(2 * 3 / 10)
