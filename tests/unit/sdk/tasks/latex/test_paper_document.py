from hypothesis import given
from hypothesis import strategies as st

from i2s_sdk.tasks.latex.packages import ALGORITHM2E, Package
from i2s_sdk.tasks.latex.paper_document import PaperDocument, paper_document
from i2s_sdk.tasks.latex.preamble import preamble, preamble_without
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
