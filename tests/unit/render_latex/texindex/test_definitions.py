import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_render_latex.texindex.definitions import (
    Category,
    How,
    clean,
    definitions,
    key_name,
    keys,
    with_depth,
)


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


def test_comments_are_left_out_and_escaped_percents_are_not_comments() -> None:
    assert clean("a% b\n  c") == "ac"
    assert "c" in clean(r"a\% c")
    assert "c" not in clean("a\\\\% c")


def test_nothing_after_endinput_is_read() -> None:
    assert clean("\\def\\a{}\n\\endinput\n\\def\\b{}") == "\\def\\a{}\n"


def test_endinput_under_a_condition_ends_nothing() -> None:
    assert "\\def\\b" in clean("\\ifx\\a\\b\n\\endinput\n\\fi\n\\def\\b{}")
    assert "\\def\\b" in clean("\\endinput\\fi\n\\def\\b{}")


@given(st.text(alphabet="ab\\{}% \n", max_size=60))
def test_clean_text_has_no_escaped_braces_and_no_comments(text: str) -> None:
    cleaned = clean(text)
    assert "%" not in cleaned
    assert "\\{" not in cleaned
    assert "\\}" not in cleaned


def test_depth_counts_the_groups_that_are_open() -> None:
    import re

    text = "x{x{x}x}x"
    assert [depth for _, depth in with_depth(text, re.finditer("x", text))] == [0, 1, 2, 1, 0]


def test_a_brace_too_many_does_not_make_depth_negative() -> None:
    import re

    text = "}}x{x"
    assert [depth for _, depth in with_depth(text, re.finditer("x", text))] == [0, 1]


def names(text: str) -> set[str]:
    return {definition.name for definition in keys(clean(text))}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (r"\tikzset{on grid/.is if=x}", "on grid"),
        ("\\tikzset{\n  pics/angle/.style = {\n x }}", "pics/angle"),
        (r"\pgfkeys{/tikz/fit/.code={x}}", "fit"),
        (r"\pgfplotsset{boxplot/.code={x}}", "boxplot"),
        (r"\pgfqkeys{/pgfplots}{a/.style={x}, use units/.is choice}", "use units"),
        (r"\pgfkeysdef{/tikz/foo bar}{x}", "foo bar"),
        (r"\tikzoption{canvas is xy plane at z}[]{x}", "canvas is xy plane at z"),
        (r"\pgfdeclareshape{diamond}{x}", "diamond"),
        (r"\pgfdeclarearrow{ name = Stealth, defaults = {x} }", "Stealth"),
        (r"\pgfkeys{/pgf/arrow keys/.cd, Triangle /.tip = {Stealth}}", "Triangle"),
        (r"\pgfarrowsdeclare{triangle 45}{triangle 45}{a}{b}", "triangle 45"),
        (r"\pgfarrowsdeclarereversed{x}{y}{a}{b}", "y"),
        (r"\pgfdeclaredecoration{brace}{initial}{x}", "brace"),
        (r"\pgfdeclarepatternformonly{dots}{a}{b}{c}{d}", "dots"),
        (r"\pgfdeclarepatternformonly[\a]{north east lines}{a}{b}{c}{d}", "north east lines"),
        (r"\pgfdeclarepattern{name=Lines,type=uncolored}", "Lines"),
        (r"\pgfdeclarelayer{background}", "background"),
        (r"\pgfdeclarehorizontalshading{rainbow}{1cm}{x}", "rainbow"),
        (r"\pgfplotsdeclarepatchclass{bilinear}{x}", "bilinear"),
        (r"\tikzdeclarecoordinatesystem{pic}{x}", "pic"),
    ],
)
def test_every_form_of_declaration_is_seen(text: str, name: str) -> None:
    assert name in names(text)


@pytest.mark.parametrize(
    "text",
    [
        r"\tikzset{foo/.try, bar/.append style={x}, /foo/baz/.cd}",
        r"\tikzset{foo=bar}",
        r"\pgfkeys{/mykeys/foo/.style={x}}",
        r"\pgfdeclareshape{#1}{x}",
    ],
)
def test_uses_and_keys_of_others_are_not_seen(text: str) -> None:
    assert names(text) == set()


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/tikz/on grid", "on grid"),
        ("/pgfplots/boxplot/median", "boxplot/median"),
        ("/pgf/decoration/amplitude", "decoration/amplitude"),
        ("on  grid", "on grid"),
        ("/tcb/enhanced", None),
        ("", None),
    ],
)
def test_keys_are_named_below_their_root(path: str, name: str | None) -> None:
    assert key_name(path) == name
