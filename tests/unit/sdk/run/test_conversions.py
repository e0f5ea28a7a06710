"""Scorers get HTML by the documents service, and formulas drawn by the LaTeX renderer."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from i2s_client.service_table import DOCUMENTS
from i2s_sdk.errors import ScorerError
from i2s_sdk.run.conversions import (
    MAX_CPU_SECONDS,
    MAX_FORMULA,
    MAX_LIMITS,
    Converters,
    FormulaDrawer,
    formula_request,
)
from i2s_sdk.scoring.page_tokens import LIMITED, read_drawn
from i2s_sdk.scoring.scorer import FORMULA, Conversion, conversion_formats
from i2s_sdk.tasks.latex.task import LatexTask
from i2s_sdk.tasks.readoc.task import ReadocTask
from i2s_wire.render.page_objects import PageObject, PageObjectKind, PageObjects
from i2s_wire.render.rendering import Picture, Rendering, Verdict
from i2s_wire.render.request import RenderRequest
from i2s_wire.render.resources import Usage
from i2s_wire.renderers import RENDER_LATEX


def _page(letter: str) -> Picture:
    glyph = PageObject(PageObjectKind.GLYPH, 0, 0, 9, 9, letter, size=9)
    return Picture(b"", 1, 1, objects=PageObjects(("CMR10",), (glyph,)))


@dataclass
class _Renderer:
    """Draws the first letter of each formula; "two" takes two pages.

    Refuses documents with "bad", and needs too long for those with "loop".
    """

    asked: list[list[str]] = field(default_factory=list)
    seconds: float = 0.0

    async def render(self, request: RenderRequest) -> Rendering:
        assert request.options.latex.want_objects
        self.asked.append(re.findall(r"\\\[\n(.*?)\n\\\]", request.source.document.decode(), re.DOTALL))
        if any("bad" in one for one in self.asked[-1]):
            return Rendering(Verdict.COMPILE_ERROR)
        if any("loop" in one for one in self.asked[-1]):
            return Rendering(Verdict.TIME_LIMIT)
        pages = [_page(one[0]) for one in self.asked[-1] for _ in range(2 if one == "two" else 1)]
        shown = tuple(pages[: request.options.page.page_count])
        usage = Usage(cpu_seconds=self.seconds)
        return Rendering(Verdict.RENDERED, pictures=shown, total_pages=len(pages), usage=usage)


async def _html(conversions: Sequence[Conversion]) -> Mapping[str, str | None]:
    return {conversion.key: f"<p>{conversion.text}</p>" for conversion in conversions}


async def test_each_format_is_done_by_its_service() -> None:
    renderer = _Renderer()
    table, good, bad = Conversion("latex", "t"), Conversion(FORMULA, "x^2"), Conversion(FORMULA, "bad")
    empty, long = Conversion(FORMULA, " "), Conversion(FORMULA, "x" * (MAX_FORMULA + 1))
    results = await Converters(_html, FormulaDrawer(renderer))((table, good, bad, empty, long))
    assert results[table.key] == "<p>t</p>"
    (token,), limit = read_drawn(results[good.key] or "")
    assert (token.text, limit) == ("x", "")
    assert results[bad.key] is results[empty.key] is results[long.key] is None
    assert sorted(renderer.asked) == [["bad"], ["x^2"], ["x^2", "bad"]]


async def test_formulas_are_drawn_together_and_apart_from_one_that_is_not_drawn() -> None:
    renderer = _Renderer()
    formulas = [Conversion(FORMULA, text) for text in ("a", "b", "bad", "c", "two", "d", "e", "f", "g")]
    results = await FormulaDrawer(renderer)(formulas)
    letters = {
        formula.text: "".join(token.text for token in read_drawn(results[formula.key] or "")[0])
        for formula in formulas
    }
    assert letters == {
        "a": "a", "b": "b", "bad": "", "c": "c", "two": "t", "d": "d", "e": "e", "f": "f", "g": "g",
    }  # fmt: skip
    assert results[formulas[2].key] is None
    assert ["a", "b"] in renderer.asked
    assert ["g"] in renderer.asked


@pytest.mark.parametrize("looping", [16, 200])
async def test_formulas_that_meet_limits_are_drawn_alone_once_and_then_no_more(looping: int) -> None:
    renderer = _Renderer()
    formulas = [Conversion(FORMULA, text) for text in ("a", "b", *(f"loop{one}" for one in range(looping)))]
    results = await FormulaDrawer(renderer)(formulas)
    assert read_drawn(results[formulas[0].key] or "")[0][0].text == "a"
    assert read_drawn(results[formulas[1].key] or "")[0][0].text == "b"
    assert {results[formula.key] for formula in formulas[2:]} == {LIMITED}
    limited = [some for some in renderer.asked if any("loop" in one for one in some)]
    assert MAX_LIMITS <= len(limited) < MAX_LIMITS + 4
    assert len({tuple(some) for some in renderer.asked}) == len(renderer.asked)
    assert {len(some) for some in renderer.asked if len(some) != 8} <= {1, 2}


async def test_one_formula_that_meets_a_limit_costs_the_others_nothing() -> None:
    formulas = [Conversion(FORMULA, text) for text in ("a", "loop", *"cdefghijklm")]
    results = await FormulaDrawer(_Renderer())(formulas)
    assert [formula.text for formula in formulas if results[formula.key] == LIMITED] == ["loop"]
    assert read_drawn(LIMITED) == ([], "limit")


async def test_formulas_that_take_long_are_drawn_up_to_a_time() -> None:
    renderer = _Renderer(seconds=MAX_CPU_SECONDS / 8)
    formulas = [Conversion(FORMULA, f"a{one}") for one in range(8 * 20)]
    results = await FormulaDrawer(renderer)(formulas)
    assert len(renderer.asked) == 8
    assert sum(result == LIMITED for result in results.values()) == 8 * 12


@pytest.mark.parametrize(("name", "service"), [(FORMULA, RENDER_LATEX.name), ("markdown", DOCUMENTS)])
async def test_a_service_that_is_not_here_is_named(name: str, service: str) -> None:
    with pytest.raises(ScorerError, match=service):
        await Converters()((Conversion(name, "x"),))


def test_a_formula_is_displayed_once_and_without_a_number() -> None:
    plain = formula_request(["x^2"]).source.document.decode()
    assert "\\[\nx^2\n\\]" in plain
    aligned = formula_request([r"\begin{align} a &= b \end{align}"]).source.document.decode()
    assert r"\begin{align*} a &= b \end{align*}" in aligned
    assert "\\[" not in aligned.partition(r"\begin{document}")[2]


def test_scorers_that_say_nothing_of_formats_ask_for_html() -> None:
    (readoc,) = ReadocTask().scorers
    assert conversion_formats(readoc) == {"markdown", "latex"}
    formats = {scorer.name: conversion_formats(scorer) for scorer in LatexTask().scorers}
    assert formats.pop("teds") == {"markdown", "latex"}
    assert not any(formats.values())


@pytest.mark.parametrize(
    "latex",
    [
        r"\gdef\frac#1#2{x}", r"\global\let\a=b", r"\csname gd\endcsname", r"\endgroup \renewcommand{\a}{b}",
        "^^5cgdef", r"\fontdimen22\textfont2=9pt", r"\let\alpha\beta", r"\makeatletter", r"\twocolumn",
    ],
)  # fmt: skip
async def test_a_formula_that_could_change_others_is_drawn_alone(latex: str) -> None:
    renderer = _Renderer()
    await FormulaDrawer(renderer)([Conversion(FORMULA, one) for one in ("a", latex, r"\left(\lambda\right)")])
    assert sorted(renderer.asked) == sorted([["a", r"\left(\lambda\right)"], [latex]])
