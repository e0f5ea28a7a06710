"""Tokens of LaTeX, and the normal form in which spellings of one formula are equal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_sdk.text.edit_similarity import edit_similarity, token_similarity
from i2s_sdk.text.tex_tokens import normal_tex_tokens, tex_tokens
from same_pictures import PAIRS

TEX = st.text(alphabet="ab2\\{}^_$ %\n[]", max_size=40)


def test_a_command_is_one_token_and_blanks_and_comments_are_none() -> None:
    source = "\\alpha + x_{10} % the end\n \\begin {equation*} \\, \\\\ \\hspace*{1em}"
    assert tex_tokens(source) == [
        *("\\alpha", "+", "x", "_", "{", "1", "0", "}", "\\begin{equation*}", "\\,", "\\\\"),
        *("\\hspace*", "{", "1", "e", "m", "}"),
    ]


def test_an_escaped_percent_sign_begins_no_comment() -> None:
    assert tex_tokens(r"5\% b") == ["5", r"\%", "b"]


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_spellings_of_one_picture_are_equal_in_the_normal_form(one: str, other: str) -> None:
    assert normal_tex_tokens(one) == normal_tex_tokens(other)
    assert edit_similarity(one, other) < 1.0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x^2", "x^3"),
        ("x^{ab}", "x^ab"),
        (r"{=}", "="),
        (r"\frac{a}{bc}", r"\frac{ab}{c}"),
        (r"\begin{equation}x\end{equation}", r"\begin{equation*}x\end{equation*}"),
        (r"a\,b", "ab"),
    ],
)
def test_what_looks_different_is_different(one: str, other: str) -> None:
    assert normal_tex_tokens(one) != normal_tex_tokens(other)


@given(TEX)
def test_the_normal_form_of_anything_is_its_own_normal_form(source: str) -> None:
    once = normal_tex_tokens(source)
    assert token_similarity(normal_tex_tokens(" ".join(once)), once) == 1.0 or "%" in source or "\\" in once


@pytest.mark.slow
def test_deep_nesting_is_no_recursion() -> None:
    deep = "{" * 50_000 + "x+y" + "}" * 50_000
    assert normal_tex_tokens(deep) == ["{", "x", "+", "y", "}"]
    assert len(normal_tex_tokens("{" * 50_000)) == 50_000


def test_two_empty_texts_are_equal() -> None:
    assert token_similarity([], []) == 1.0
    assert token_similarity(["a"], []) == 0.0
