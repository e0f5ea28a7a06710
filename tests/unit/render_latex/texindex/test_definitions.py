import pytest

from i2s_render_latex.texindex.definitions import Category, How, definitions
from i2s_render_latex.texindex.source import clean


def found(text: str, category: Category = Category.COMMAND) -> dict[str, How]:
    surest: dict[str, How] = {}
    for definition in definitions(clean(text)):
        if definition.category is category:
            surest[definition.name] = max(definition.how, surest.get(definition.name, definition.how))
    return surest


@pytest.mark.parametrize(
    "text",
    [
        r"\newcommand{\foo}[1]{x}",
        r"\newcommand*\foo{x}",
        r"\newcommand { \foo }{x}",
        r"\def\foo#1{x}",
        r"\long\gdef\foo{x}",
        r"\protected\def\foo{x}",
        r"\DeclareRobustCommand{\foo}{x}",
        r"\NewDocumentCommand \foo { m } { x }",
        r"\NewExpandableDocumentCommand{\foo}{m}{x}",
        r"\DeclareMathSymbol{\foo}{\mathrel}{AMSa}{1}",
        r"\DeclareMathAlphabet\foo{U}{x}{m}{n}",
        r"\DeclareMathOperator*{\foo}{foo}",
        r"\DeclarePairedDelimiter{\foo}{(}{)}",
        r"\DeclareTextSymbolDefault{\foo}{TS1}",
        r"\newlength{\foo}",
        r"\newdimen\foo",
        r"\chardef\foo=1",
        r"\@namedef{foo}{x}",
        r"\expandafter\def\csname foo\endcsname{x}",
        r"\csdef{foo}{x}",
        r"\cs_new_protected:cpn { foo } { x }",
        r"\font\foo=cmr10",
    ],
)
def test_every_form_of_definition_is_seen(text: str) -> None:
    assert found(text) == {"foo": How.DEFINED}


@pytest.mark.parametrize(
    ("text", "how"),
    [
        (r"\providecommand{\foo}{x}", How.OFFERED),
        (r"\let\foo=\bar", How.ALIASED),
        (r"\stmry@if\DeclareMathDelimiter\foo{\mathopen}{s}{1}", How.DEFINED),
        (r"\lst@UserCommand\foo#1{x}", How.CUSTOM),
        (r"\cs_set_eq:NN \foo \bar:n", How.CUSTOM),
        (r"\AtBeginDocument{\newcommand\foo{x}}", How.NESTED),
        (r"\def\start{\def\foo{x}}", How.NESTED),
        (r"\renewcommand{\foo}{x}", How.PATCHED),
        (r"\let\foo\relax", How.PATCHED),
        (r"\let\foo\@undefined", How.PATCHED),
    ],
)
def test_weaker_forms_are_told_apart(text: str, how: How) -> None:
    assert found(text)["foo"] is how


@pytest.mark.parametrize(
    "text",
    [
        r"\foo\bar",
        r"% \newcommand\foo{}",
        r"\def\foo@bar{x}",
        r"\cs_new:Npn \foo_bar:n #1 { x }",
        r"\ifdefined\foo",
        r"\@ifdefinable\foo{}",
        r"\newline\foo",
        r"\PackageWarning{x}{\foo}",
        r"\definecolor{red}{rgb}{1,0,0}",
    ],
)
def test_uses_and_internal_names_are_no_definitions(text: str) -> None:
    assert found(text) == {}


def test_a_definition_after_another_control_word_is_seen() -> None:
    assert set(found(r"\expandafter\def\foo{}\global\let\bar\baz")) == {"foo", "bar"}


def test_newif_makes_three_commands() -> None:
    assert set(found(r"\newif\iffoo")) == {"iffoo", "footrue", "foofalse"}


@pytest.mark.parametrize(
    "text",
    [
        r"\newenvironment{foo}[1]{a}{b}",
        r"\NewDocumentEnvironment{foo}{m}{a}{b}",
        r"\lstnewenvironment{foo}[1][]{a}{b}",
        r"\newtcolorbox{foo}{colback=red}",
        r"\newtcolorbox[auto counter]{foo}{colback=red}",
        r"\DefineVerbatimEnvironment{foo}{Verbatim}{}",
        r"\newtheorem{foo}{Foo}",
        r"\NewEnviron{foo}{a}",
    ],
)
def test_every_form_of_environment_is_seen(text: str) -> None:
    assert found(text, Category.ENVIRONMENT) == {"foo": How.DEFINED}


def test_begin_and_end_commands_make_an_environment() -> None:
    assert "foo" in found(r"\def\foo{a}\def\endfoo{b}", Category.ENVIRONMENT)
    assert "foo" not in found(r"\def\foo{a}", Category.ENVIRONMENT)


def test_starred_environments_keep_their_star() -> None:
    assert set(found(r"\newenvironment{foo*}{a}{b}", Category.ENVIRONMENT)) == {"foo*"}


def test_a_renewed_environment_is_patched() -> None:
    assert found(r"\renewenvironment{foo}{a}{b}", Category.ENVIRONMENT) == {"foo": How.PATCHED}


def test_an_axis_type_of_pgfplots_makes_its_environment() -> None:
    assert "polaraxis" in found(r"\pgfplotsdefineaxistype[polar]{polar}{x}", Category.ENVIRONMENT)
