import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_sdk.tasks.latex.document import preamble, preamble_without
from i2s_sdk.tasks.latex.packages import ALGORITHM2E, Package
from i2s_sdk.tasks.latex.paper_document import (
    PaperDocument,
    command_of,
    declarations,
    loading_lines,
    paper_document,
)
from i2s_wire.metrics.profile import Profile

FIXED = preamble(Profile.PAPER)


def after_preamble(document: PaperDocument) -> str:
    return document.source.removeprefix(FIXED)


def test_a_fragment_follows_the_fixed_preamble_and_nothing_else_does() -> None:
    assert paper_document("$x$").source == FIXED + "\\begin{document}\n$x$\n\\end{document}\n"


def test_the_class_is_replaced_and_own_packages_and_definitions_are_kept_in_this_order() -> None:
    code = "\\documentclass[12pt]{book}\n\\newcommand{\\a}{b}\n\\usepackage{mhchem}\n\\begin{document}x"
    assert after_preamble(paper_document(code)) == (
        "\\usepackage{mhchem}\n\\newcommand{\\a}{b}\n\\begin{document}\nx\n\\end{document}\n"
    )


def test_numbers_are_off_in_body_and_definitions() -> None:
    document = paper_document(
        "\\newcommand{\\x}{\\label{a}}\\begin{document}\\begin{equation}x\\label{b}\\end{equation}\\end{document}"
    )
    assert document.definitions == "\\newcommand{\\x}{}"
    assert document.body == "\\begin{equation*}x\\end{equation*}"


def test_packages_that_restyle_come_only_where_their_language_is_spoken() -> None:
    assert paper_document("\\begin{figure}\\caption{x}\\end{figure}").packages == ()
    assert paper_document("\\begin{proof}x\\end{proof}").packages == (Package("amsthm"),)
    assert paper_document("\\begin{subfigure}{1cm}\\end{subfigure}").packages == (Package("subcaption"),)
    assert paper_document("% \\begin{proof}").packages == ()


def test_a_package_that_does_the_same_work_keeps_them_away() -> None:
    code = "\\usepackage{subfig}\\begin{document}\\subfloat[a]{b}\\end{document}"
    assert paper_document(code).packages == (Package("subfig"),)


def test_own_algorithm2e_replaces_the_fixed_algorithm_packages() -> None:
    code = "\\usepackage{algorithm}\\usepackage[vlined]{algorithm2e}\\begin{document}x\\end{document}"
    document = paper_document(code)
    assert document.packages == (Package("algorithm2e", "vlined"),)
    assert document.source.startswith(preamble_without(Profile.PAPER, "algorithms") + "\\usepackage[vlined]")


def test_algorithmic_in_the_body_decides_against_algorithm2e() -> None:
    code = "\\usepackage{algorithm2e}\\begin{document}\\begin{algorithmic}x\\end{algorithmic}"
    document = paper_document(code)
    assert document.packages == ()
    assert document.source.startswith(FIXED)


def test_names_that_physics_took_are_free_for_own_definitions() -> None:
    document = paper_document("\\newcommand{\\norm}[1]{x}\\newcommand{\\mine}{y}$\\norm{x}$")
    assert document.freed == ("norm",)
    assert "\\expandafter\\let\\csname norm\\endcsname\\relax\n" in document.source


def test_names_of_physics_stay_where_physics_was_asked_for() -> None:
    assert paper_document("\\usepackage{physics}\n\\newcommand{\\norm}{x}").freed == ()


def test_an_equation_around_the_body_has_no_blank_line() -> None:
    document = PaperDocument("a % c\n\n \nb", in_equation=True)
    assert document.shown == "\\begin{equation*}\na % c\nb\n\\end{equation*}"


def test_text_is_the_body_without_comments_and_runs_of_blanks() -> None:
    assert paper_document("\\usepackage{bm}\n a   b % c\n\n% d\n\\verb|%|").text == "a b\n\\verb|%|"


def test_adding_what_is_there_adds_nothing() -> None:
    document = paper_document("x")
    assert document.with_package(Package("amsmath")) is None
    assert document.with_package(Package("geometry")) is None
    once = document.with_package(Package("mhchem"))
    assert once is not None
    assert once.with_package(Package("mhchem")) is None


def test_adding_algorithm2e_takes_the_fixed_algorithm_packages_away() -> None:
    document = paper_document("x").with_package(ALGORITHM2E)
    assert document is not None
    assert not document.source.startswith(FIXED)
    assert "algpseudocode" not in document.source


PIECES = [
    r"\documentclass{article}", r"\usepackage[a]{b}", r"\usepackage{algorithm2e}", "{", "}", "x", "%", "\n",
    r"\begin{document}", r"\end{document}", r"\begin{equation}", r"\label{a}", r"\begin{algorithmic}",
    r"\newcommand{\dv}{}",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=20).map("".join))
def test_every_document_begins_with_the_fixed_preamble_and_is_delimited(code: str) -> None:
    source = paper_document(code).source
    assert source.startswith(preamble_without(Profile.PAPER, "algorithms"))
    assert "\n\\begin{document}\n" in source
    assert source.endswith("\n\\end{document}\n")


def lines(*packages: Package) -> list[str]:
    return list(loading_lines(packages, FIXED))


def test_an_unknown_package_is_loaded_as_written() -> None:
    assert lines(Package("mhchem", "version=4")) == [r"\usepackage[version=4]{mhchem}"]


@pytest.mark.parametrize(
    "package", [Package("amsmath"), Package("hyperref", "colorlinks"), Package("inputenc", "utf8")]
)
def test_a_package_that_has_nothing_left_to_do_is_not_loaded(package: Package) -> None:
    assert lines(package) == []


def test_a_package_of_the_page_becomes_silent() -> None:
    silent = lines(Package("geometry", "margin=1in"))
    assert silent
    assert all(line.startswith(r"\providecommand") for line in silent)


def test_options_that_can_come_late_do() -> None:
    assert lines(Package("xcolor", "table, svgnames")) == [r"\input{svgnam.def}"]
    assert lines(Package("siunitx", "per-mode=symbol"))[-1] == r"\sisetup{per-mode=symbol}"
    assert r"\algtext*{EndIf}" in lines(Package("algpseudocode", "noend"))[0]


def test_a_name_that_two_packages_want_goes_to_the_one_asked_for() -> None:
    assert lines(Package("siunitx")) == [r"\RenewCommandCopy\qty\SI"]
    assert lines(Package("physics")) == [r"\physicsnames"]
    assert lines(Package("siunitx"), Package("physics")) == [r"\physicsnames"]


@pytest.mark.parametrize(
    ("character", "command"),
    [
        ("−", r"\ensuremath{-}"),
        ("≤", r"\ensuremath{\leq}"),
        ("α", r"\ensuremath{\alpha}"),
        ("ℝ", r"\ensuremath{\mathbb{R}}"),
        ("₁", r"\ensuremath{{}_{1}}"),
        ("⁻", r"\ensuremath{{}^{\ensuremath{-}}}"),
        ("✓", r"\ensuremath{\checkmark}"),
        ("\u200b", ""),
        ("\u202f", r"\,"),
        ("′", "'"),
    ],
)
def test_a_character_of_mathematics_has_its_command(character: str, command: str) -> None:
    assert command_of(character) == command


@pytest.mark.parametrize("character", ["a", "$", "中", "П", "🙂", "█", "\u0301", "é"])
def test_letters_of_text_and_what_no_font_has_have_none(character: str) -> None:
    assert command_of(character) is None


def test_a_character_is_declared_unless_latex_has_a_meaning_for_it() -> None:
    assert list(declarations("≤中")) == [
        r"\ifcsname u8:\detokenize{≤}\endcsname\else\DeclareUnicodeCharacter{2264}{\ensuremath{\leq}}\fi"
    ]


def test_a_character_of_text_is_declared_for_mathematics() -> None:
    *_, declared = declarations("→")
    assert declared == (r"\DeclareUnicodeCharacter{2192}{\TextOrMath{\csname text 2192\endcsname}{\to}}")


@given(st.characters())
def test_braces_of_every_command_are_balanced(character: str) -> None:
    command = command_of(character) or ""
    assert command.count("{") == command.count("}")
    assert command.isascii()
