import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_sdk.tasks.latex.numbering import NUMBERED, without_numbers

PIECES = [
    r"\begin{equation}", r"\end{equation}", r"\begin{align*}", r"\begin{verbatim}", r"\end{verbatim}",
    r"\label{eq:a}", "\n", " ", "x", "%", r"\\", "{equation}", r"\verb|\label{a}|", r"\labelsep",
]  # fmt: skip
SOURCES = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)


@pytest.mark.parametrize("name", NUMBERED)
def test_numbered_environments_are_starred(name: str) -> None:
    assert without_numbers(rf"\begin{{{name}}}x\end{{{name}}}") == rf"\begin{{{name}*}}x\end{{{name}*}}"


@pytest.mark.parametrize(
    "source",
    [
        r"\begin{align*}x\end{align*}",
        r"\begin{aligned}x\end{aligned}",
        r"the {equation} of state",
        r"% \begin{equation} \label{x}",
        r"\verb|\begin{align}\label{x}|",
        "\\begin{lstlisting}\n\\begin{equation}\\label{x}\n\\end{lstlisting}",
        r"\labelsep \labelenumi{x}",
        r"\label",
    ],
)
def test_nothing_else_is_touched(source: str) -> None:
    assert without_numbers(source) == source


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (r"x\label{a}y", "xy"),
        ("x\n  \\label{a}  \ny", "x\ny"),
        ("x \\label{a}\ny", "x \ny"),
        ("x\n\\label{a} % c\ny", "x\n % c\ny"),
        (r"\label{a{b}c}x", "x"),
        ("a\\label{x}\n\nb", "a\n\nb"),
        ("y\n\\label{a} \\label{b}\nx", "y\nx"),
    ],
)
def test_labels_go_and_leave_no_blank_line_of_their_own(source: str, expected: str) -> None:
    assert without_numbers(source) == expected


@given(SOURCES)
def test_doing_it_twice_is_doing_it_once(source: str) -> None:
    once = without_numbers(source)
    assert without_numbers(once) == once
