"""Tests of the text of a page: normal form, presence, order, and ordinary text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from i2s_sdk.tasks.olmocrbench.texts import (
    baseline_fault,
    contains_text,
    in_order,
    normal_text,
    starts_of,
)
from linear_time import assert_linear


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("**bold** and __bold__, *it* and _it_", "bold and bold, it and it"),
        ("a<br>b<br/>c <b>d</b><i>e</i>", "a b c de"),
        (" a\n\n b\tc\u00a0d", " a b c d"),
        ("“a” ‘b’ – — − ‑ µ ＿", "\"a\" 'b' - - - - μ _"),
        ("e\u0301", "é"),
        ("**not\nover lines**", "not over lines"),  # each pair of stars is empty emphasis
        ("x_i + y_i", "xi + yi"),
    ],
)
def test_normal_form(text: str, normal: str) -> None:
    assert normal_text(text) == normal


_WORDS = st.text("ab ", max_size=12)


@given(_WORDS, st.text("ab", min_size=1, max_size=5), st.integers(0, 2))
def test_starts_are_those_of_all_stretches_that_are_near_enough(page: str, text: str, most: int) -> None:
    near = {
        start
        for start in range(len(page) + 1)
        for end in range(start, len(page) + 1)
        if Levenshtein.distance(page[start:end], text) <= most
    }
    assert list(starts_of(page, text, most)) == sorted(near)


def _there(page: str, text: str, most: int = 0, **how: object) -> bool:
    options = {"case_sensitive": True, "first": None, "last": None} | how
    return contains_text(page, text, most, **options)[0]


def test_presence_permits_edits_and_bounds() -> None:
    page = "one two three four five six"
    assert _there(page, "three four")
    assert not _there(page, "three fuor")
    assert _there(page, "three faur", 1)
    assert not _there(page, "Three")
    assert _there(page, "Three", case_sensitive=False)
    assert _there(page, "one", first=3)
    assert not _there(page, "two", first=3)
    assert _there(page, "six", last=3)
    assert not _there(page, "five", last=3)
    assert _there(page, "six", first=3, last=3)
    assert not _there(page, "three", first=3, last=3)


def test_a_page_that_is_shorter_than_the_text_does_not_have_it() -> None:
    assert not _there(" ", "a long phrase")  # a partial ratio alone would be 1
    assert not _there("", "a")
    assert _there("phras", "phrase", 1)


def test_order_is_that_of_any_two_places() -> None:
    assert in_order("first then second", "first", "second", 0) == ""
    assert in_order("second first second", "first", "second", 0) == ""
    assert "stands nowhere before" in in_order("second then first", "first", "second", 0)
    assert "'first' is not there" in in_order("second", "first", "second", 0)
    assert in_order("forst then secund", "first", "second", 1) == ""
    assert "with at most 1 edits" in in_order("farts then secund", "first", "second", 1)


def _fault(page: str, **how: object) -> str:
    options = {"max_length": None, "skip_images": False, "max_repeats": 30, "check_characters": True}
    return baseline_fault(page, **options | how)


def test_a_page_of_ordinary_text_has_letters_no_loop_and_no_other_script() -> None:
    assert _fault("A page.") == ""
    assert "no letter" in _fault(" -- \n")
    assert _fault("ab" * 30 + "a") == ""
    assert "the last 2 characters stand 31 times" in _fault("ab" * 31)
    assert "the last 1 characters stand 31 times" in _fault("x" * 31)
    assert _fault("ab" * 31, max_repeats=31) == ""
    assert "characters such as" in _fault("A page 温")
    assert "characters such as" in _fault("A page 😀")
    assert _fault("A page 温", check_characters=False) == ""


def test_a_blank_page_may_have_few_letters() -> None:
    assert _fault("", max_length=0) == ""
    assert _fault("温 1", max_length=2) == ""
    assert "3 letters and digits on a page that is blank" in _fault("abc", max_length=2)
    assert "letters" in _fault("![a view](b.png)", max_length=2)
    assert _fault("![a view](b.png)", max_length=2, skip_images=True) == ""
    for page, letters in (
        ("![a![b](c)d", 1), ("![a]b", 2), ("![a]![b](c)", 1), ("![a\n](b)", 2), ("![a](b\n)", 2),
        ("![![a](b)", 0),
        ("![a](b)c)![d](e)", 1), ("![a](b![c](d)", 0), ("![](", 0),
    ):  # fmt: skip
        assert not _fault(page, max_length=letters, skip_images=True), page
        assert letters == 0 or _fault(page, max_length=letters - 1, skip_images=True), page


@pytest.mark.parametrize("piece", ["![a", "![a](", "![", "![a]", "]("])
@pytest.mark.parametrize("end", ["", "]", ")", "](b)"])
def test_images_without_end_take_a_short_time(piece: str, end: str) -> None:
    # 10 s and more if the time is quadratic
    assert_linear(lambda number: _fault(piece * number + end, max_length=2, skip_images=True), 50_000, 1.0)
