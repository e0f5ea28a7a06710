"""Where two texts differ, word by word."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_sdk.text.word_diff import word_diff

TEXTS = st.text(alphabet="ab \n\\.م<é", max_size=40)


def test_pieces_say_which_words_differ() -> None:
    first, second = word_diff("the cat sat", "the dog sat down")
    assert first == [("the ", False), ("cat", True), (" sat", False)]
    assert second == [("the ", False), ("dog", True), (" sat", False), (" down", True)]


@pytest.mark.parametrize(("first", "second"), [("", ""), ("a", ""), ("", "a b")])
def test_an_empty_text_has_no_piece(first: str, second: str) -> None:
    sides = word_diff(first, second)
    assert [bool(side) for side in sides] == [bool(first), bool(second)]
    assert all(differs for side in sides for _, differs in side)


@given(TEXTS, TEXTS)
def test_pieces_are_the_texts_and_what_does_not_differ_is_equal(first: str, second: str) -> None:
    sides = word_diff(first, second)
    assert ["".join(text for text, _ in side) for side in sides] == [first, second]
    equal = ["".join(text for text, differs in side if not differs) for side in sides]
    assert equal[0] == equal[1]


@given(TEXTS)
def test_a_text_does_not_differ_from_itself(text: str) -> None:
    assert word_diff(text, text) == ([(text, False)] * bool(text),) * 2
