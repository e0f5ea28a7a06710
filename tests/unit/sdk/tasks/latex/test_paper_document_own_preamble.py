from hypothesis import given
from hypothesis import strategies as st

from i2s_sdk.tasks.latex.packages import Package
from i2s_sdk.tasks.latex.paper_document import OwnDocument, defined_names, take_apart

DOCUMENT = r"""\documentclass[12pt]{report}
% \usepackage{commented}
\usepackage{booktabs, array}
\usepackage[
  margin=1in, % wide
  top=2cm
]{geometry}
\newcommand{\R}{\mathbb{R}}
\begin{document}
Hello
\end{document}
ignored"""


def test_a_document_falls_into_packages_definitions_and_body() -> None:
    own = take_apart(DOCUMENT)
    assert own.packages == (Package("booktabs"), Package("array"), Package("geometry", "margin=1in, top=2cm"))
    assert own.definitions == "% \\usepackage{commented}\n\\newcommand{\\R}{\\mathbb{R}}"
    assert own.body == "Hello"


def test_a_document_cut_off_has_its_body_to_the_end() -> None:
    assert take_apart(DOCUMENT[: DOCUMENT.index("llo")]).body == "He"


def test_a_fragment_is_all_body() -> None:
    assert take_apart("$x$") == OwnDocument((), "", "$x$")


def test_packages_and_operators_of_a_fragment_move_before_its_body() -> None:
    own = take_apart("\\usepackage{bm}\n\\DeclareMathOperator{\\tr}{tr}\n\\newcommand{\\a}{b}\n$\\tr$")
    assert own == OwnDocument(
        (Package("bm"),), "\\DeclareMathOperator{\\tr}{tr}", "\\newcommand{\\a}{b}\n$\\tr$"
    )


def test_delimiters_in_verbatim_text_are_not_delimiters() -> None:
    body = "\\begin{verbatim}\n\\begin{document}\n\\usepackage{x}\n\\end{verbatim}"
    assert take_apart(body) == OwnDocument((), "", body)


def test_names_are_defined_by_the_commands_that_refuse_to_redefine() -> None:
    code = r"""\newcommand{\a}{} \newcommand*\b{} \DeclareMathOperator*{\c}{c} \newenvironment{d}{}{}
    \newtheorem{e*}{E} \renewcommand{\f}{} \def\g{} % \newcommand{\h}{}"""
    assert defined_names(code) == {"a", "b", "c", "d", "endd", "e*", "ende*"}


PIECES = [
    r"\documentclass{article}", r"\usepackage[a]{b}", r"\usepackage", "{", "}", "[", r"\begin{document}", "%",
    r"\end{document}", "\n", "x", r"\DeclareMathOperator{\a}{b}", r"\begin{verbatim}", r"\end{verbatim}",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=20).map("".join))
def test_any_code_can_be_taken_apart(code: str) -> None:
    own = take_apart(code)
    assert own.body == own.body.strip()
    assert all(package.name and "," not in package.name for package in own.packages)
