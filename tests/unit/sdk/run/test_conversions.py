"""Scorers get HTML by the documents service, and formulas drawn by the LaTeX renderer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from i2s_client.service_table import DOCUMENTS, RENDER_LATEX
from i2s_sdk.errors import ScorerError
from i2s_sdk.run.conversions import MAX_FORMULA, Converters, FormulaDrawer, formula_request
from i2s_sdk.scoring.page_tokens import read_drawn
from i2s_sdk.scoring.scorer import FORMULA, Conversion, conversion_formats
from i2s_sdk.tasks.latex.task import LatexTask
from i2s_sdk.tasks.readoc.task import ReadocTask
from i2s_wire.render.page_objects import PageObject, PageObjectKind, PageObjects
from i2s_wire.render.rendering import Picture, Rendering, Verdict
from i2s_wire.render.request import RenderRequest

_X = PageObjects(("CMR10",), (PageObject(PageObjectKind.GLYPH, 0, 0, 9, 9, "x", size=9),))


@dataclass
class _Renderer:
    """Refuses what has "bad" in it, and draws one character of all else."""

    asked: list[str] = field(default_factory=list)

    async def render(self, request: RenderRequest) -> Rendering:
        assert request.options.latex.want_objects
        self.asked.append(request.source.document.decode())
        if "bad" in self.asked[-1]:
            return Rendering(Verdict.COMPILE_ERROR)
        return Rendering(Verdict.RENDERED, pictures=(Picture(b"", 1, 1, objects=_X),))


async def _html(conversions: Sequence[Conversion]) -> Mapping[str, str | None]:
    return {one.key: f"<p>{one.text}</p>" for one in conversions}


async def test_each_format_is_done_by_its_service() -> None:
    renderer = _Renderer()
    table, good, bad = Conversion("latex", "t"), Conversion(FORMULA, "x^2"), Conversion(FORMULA, "bad")
    empty, long = Conversion(FORMULA, " "), Conversion(FORMULA, "x" * (MAX_FORMULA + 1))
    results = await Converters(_html, FormulaDrawer(renderer))((table, good, bad, empty, long))
    assert results[table.key] == "<p>t</p>"
    (token,), limit = read_drawn(results[good.key] or "")
    assert (token.text, limit) == ("x", "")
    assert results[bad.key] is results[empty.key] is results[long.key] is None
    assert len(renderer.asked) == 2


@pytest.mark.parametrize(("name", "service"), [(FORMULA, RENDER_LATEX), ("markdown", DOCUMENTS)])
async def test_a_service_that_is_not_here_is_named(name: str, service: str) -> None:
    with pytest.raises(ScorerError, match=service):
        await Converters()((Conversion(name, "x"),))


def test_a_formula_is_displayed_once_and_without_a_number() -> None:
    plain = formula_request("x^2").source.document.decode()
    assert "\\[\nx^2\n\\]" in plain
    aligned = formula_request(r"\begin{align} a &= b \end{align}").source.document.decode()
    assert r"\begin{align*} a &= b \end{align*}" in aligned
    assert "\\[" not in aligned.partition(r"\begin{document}")[2]


def test_scorers_that_say_nothing_of_formats_ask_for_html() -> None:
    (readoc,) = ReadocTask().scorers
    assert conversion_formats(readoc) == {"markdown", "latex"}
    formats = {one.name: conversion_formats(one) for one in LatexTask().scorers}
    assert formats.pop("teds") == {"markdown", "latex"}
    assert not any(formats.values())
