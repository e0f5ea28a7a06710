"""Glyph F1 of formulas that real TeX set."""

import pytest

from i2s_chassis.limits import DEFAULT_LIMITS
from i2s_render_latex.model import LatexJob, Options
from i2s_sdk.scoring.glyph_f1 import glyph_f1
from i2s_sdk.scoring.page_tokens import drawn_json, read_drawn

pytestmark = pytest.mark.asyncio(loop_scope="session")

SOURCE = r"\documentclass[%s]{article}\usepackage{amsmath,graphicx}\begin{document}%s\end{document}"
LONG = r"\[\sum_{i=1}^n\frac{\alpha_i^2+b}{\sqrt{c+d}}\left(\int_0^1 f(x)\,dx\right)=\mathbf{A}^{-1}\]"


async def tokens_of(engine, body, options="10pt"):
    job = LatexJob(
        (SOURCE % (options, body)).encode(), options=Options(want_objects=True), limits=DEFAULT_LIMITS
    )
    rendering = await engine.render(job)
    assert rendering.pictures, rendering.message
    return read_drawn(drawn_json(rendering.pictures[0].objects))[0]


EQUAL = {
    r"$\frac{a}{b}$": r"${a\over b}$",
    r"$a\le b$": r"$a\leq b$",
    r"$\begin{array}{c}a\\b\end{array}$": r"$\begin{subarray}{c}a\\b\end{subarray}$",
}
OTHER = {
    "$2^2$": "$2_2$",
    "$2_2$": "$22$",
    "$22$": "$2^2$",
    r"$\sqrt{a+b}$": r"$\sqrt{a}+b$",
    "$x+y$": r"$\mathbf{x}+y$",
    r"$\alpha\beta\gamma$": r"$\beta\alpha\gamma$",
    r"$\frac{a}{b}$": "$ab$",
}


@pytest.mark.parametrize(("one", "other"), EQUAL.items(), ids=EQUAL)
async def test_the_same_by_other_commands_is_equal(engine, one, other):
    assert glyph_f1(await tokens_of(engine, one), await tokens_of(engine, other)) == 1


@pytest.mark.parametrize(("one", "other"), OTHER.items(), ids=OTHER)
async def test_what_looks_different_is_not_equal(engine, one, other):
    assert glyph_f1(await tokens_of(engine, one), await tokens_of(engine, other)) < 0.9


@pytest.mark.parametrize("formula", ["$f'(x)$", r"$A^\top\triangleright\partial\epsilon$"])
async def test_characters_without_a_code_are_equal_in_another_size(engine, formula):
    assert glyph_f1(await tokens_of(engine, formula), await tokens_of(engine, formula, "12pt")) == 1


@pytest.mark.parametrize(
    ("body", "options"),
    [
        (LONG, "12pt"),
        (rf"{{\large {LONG}}}", "10pt"),
        (rf"{{\footnotesize {LONG}}}", "11pt"),
        (rf"\scalebox{{1.7}}{{\parbox{{10cm}}{{{LONG}}}}}", "10pt"),
    ],
)
async def test_another_size_is_above_half_a_formula(engine, body, options):
    truth = await tokens_of(engine, LONG)
    value = glyph_f1(truth, await tokens_of(engine, body, options))
    assert value > 0.9
    assert glyph_f1(truth, truth[: len(truth) // 2]) < 0.7 < value
