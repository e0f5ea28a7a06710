"""Formulas of a page, and which of them have to be drawn; what is drawn are rows of letters here."""

from __future__ import annotations

import pytest

from i2s_sdk.scoring.page_tokens import LIMITED, drawn_json
from i2s_sdk.tasks.olmocrbench.formulas import FormulaTests, page_formulas
from i2s_sdk.tasks.olmocrbench.page_test import PageTest
from i2s_wire.render.page_objects import PageObject, PageObjectKind, PageObjects


def _drawn(letters: str, size: float = 10.0) -> str:
    """A row of letters."""
    glyphs = tuple(
        PageObject(PageObjectKind.GLYPH, size * at, 0, size * (at + 1), size, letter, size=size)
        for at, letter in enumerate(letters)
    )
    return drawn_json(PageObjects(("CMR10",), glyphs))


def _test(math: str, **others: object) -> PageTest:
    return PageTest({"id": "m", "type": "math", "category": "arxiv_math", "math": math, **others})


def _result(test: PageTest, page: str, drawn: dict[str, str | None]) -> bool | None:
    """The result when everything was drawn that was asked for; ``drawn`` has letters by LaTeX."""
    conversions: dict[str, str | None] = {}
    for _ in range(8):
        tests = FormulaTests(page, conversions)
        needed = tests.needed(test)
        if not needed:
            return tests.result(test).passed
        for one in needed:
            letters = drawn[one.text]
            conversions[one.key] = None if letters is None else LIMITED if letters == "…" else _drawn(letters)
    raise AssertionError("asks without end")


def test_formulas_stand_between_four_kinds_of_delimiters() -> None:
    page = r"\(a\) $b$ $$c$$ \[ d" "\n" r"e \] \( f"
    assert page_formulas(page) == ["a", "d\ne", "c", "b"]
    assert page_formulas(page, dollars=False) == ["a", "d\ne"]
    assert page_formulas("$" * 10_000) != []
    assert page_formulas(r"\(" * 100_000) == []


def test_the_same_text_passes_and_the_formula_of_the_test_alone_is_drawn() -> None:
    assert _result(_test(" x^2 "), "so $x^2$ is", {"x^2": "x2"}) is True


def test_a_formula_that_draws_the_same_within_more_passes() -> None:
    assert _result(_test("ab"), "$xaby$", {"ab": "ab", "xaby": "xaby"}) is True
    assert _result(_test("ab"), "$xayb$", {"ab": "ab", "xayb": "xayb"}) is False
    assert _result(_test("ab"), "$a$ $b$", {"ab": "ab", "a": "a", "b": "b"}) is False


def test_only_delimiters_that_count_are_read() -> None:
    assert _result(_test("a"), "$a$", {"a": "a"}) is True
    assert _result(_test("a", ignore_dollar_delimited=True), "$a$", {"a": "a"}) is False


@pytest.mark.parametrize("drawn", [None, "…"], ids=["refused", "limit"])
@pytest.mark.parametrize("page", ["$a$", r"so $\bad$ is", "no formula", ""])
def test_a_test_whose_formula_cannot_be_drawn_is_judged_for_no_answer(page: str, drawn: str | None) -> None:
    assert _result(_test(r"\bad"), page, {r"\bad": drawn}) is None


def test_no_more_candidates_are_drawn_after_some_that_meet_limits() -> None:
    page = " ".join(f"$x{number}$" for number in range(100))
    conversions: dict[str, str | None] = {}
    for wanted in (["ab"], 4, 0):
        needed = FormulaTests(page, conversions).needed(_test("ab"))
        assert wanted in ([one.text for one in needed], len(needed))
        conversions |= {one.key: _drawn("ab") if one.text == "ab" else LIMITED for one in needed}
    result = FormulaTests(page, conversions).result(_test("ab"))
    assert result.passed is False
    assert "4 formulas of the page took too much to draw" in result.why


def test_a_formula_of_the_page_that_cannot_be_drawn_passes_nothing() -> None:
    assert _result(_test("a b"), r"$\bad$", {"a b": "ab", r"\bad": None}) is False


def test_candidates_are_drawn_until_one_passes() -> None:
    page = " ".join(f"$x{'y' * number}$" for number in range(40))
    drawn = {f"x{'y' * number}": f"x{'y' * number}" for number in range(40)} | {"ab": "ab", "abc": "ab"}
    tests = FormulaTests(page + " $abc$", {})
    assert [one.text for one in tests.needed(_test("ab"))] == ["ab"]
    assert _result(_test("ab"), page + " $abc$", drawn) is True
    assert _result(_test("ab"), page, drawn) is False
