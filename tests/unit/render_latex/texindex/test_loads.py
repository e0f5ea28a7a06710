import pytest

from i2s_render_latex.texindex.loads import Load, loads
from i2s_render_latex.texindex.source import clean


def test_packages_classes_libraries_and_inputs_are_seen() -> None:
    text = (
        r"\RequirePackage[opt]{a, b}[2020/01/01]\LoadClass{c}\usetikzlibrary{calc,fit}"
        r"\usepgfplotslibrary{polar}\usepgfmodule{plot}\input tikz.code.tex \input{x}"
    )
    assert list(loads(clean(text))) == [
        Load(("a.sty",), True),
        Load(("b.sty",), True),
        Load(("c.cls",), True),
        Load(("tikzlibrarycalc.code.tex", "pgflibrarycalc.code.tex"), True),
        Load(("tikzlibraryfit.code.tex", "pgflibraryfit.code.tex"), True),
        Load(("tikzlibrarypgfplots.polar.code.tex", "pgflibrarypgfplots.polar.code.tex"), True),
        Load(("pgfmoduleplot.code.tex",), True),
        Load(("tikz.code.tex", "tikz.code.tex.tex"), True),
        Load(("x", "x.tex"), True),
    ]


@pytest.mark.parametrize(
    "text",
    [
        r"\ifluatex\RequirePackage{a}\fi",
        r"\newif\ifmine \ifmine x\else\RequirePackage{a}\fi",
        r"\ifx\a\b \ifnum1=1 \fi\RequirePackage{a}\fi",
        r"\AtEndOfPackage{\RequirePackage{a}}",
        r"\@ifpackageloaded{x}{}{\RequirePackage{a}}",
        r"\InputIfFileExists{a.sty}{}{}",
    ],
)
def test_loading_under_a_condition_is_not_always(text: str) -> None:
    assert [load.always for load in loads(clean(text))] == [False]


def test_conditions_that_take_braces_and_closed_ones_do_not_count() -> None:
    text = r"\ifthenelse{a}{b}{c}\ifx\a\b\fi\RequirePackage{a}"
    assert [load.always for load in loads(clean(text))] == [True]


def test_names_that_macros_make_are_not_followed() -> None:
    assert list(loads(clean(r"\input{\jobname.aux}\RequirePackage{#1}"))) == []
