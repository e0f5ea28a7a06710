import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_sdk.tasks.latex import preamble_files, preamble_path
from i2s_sdk.tasks.latex.document import (
    NUMBERED,
    fixed_libraries,
    fixed_packages,
    preamble,
    preamble_without,
    without_numbers,
)
from i2s_wire.metrics.profile import Profile

# What both profiles have, as the references were made with it.
REFERENCE_PACKAGES = """
amsmath amssymb amsfonts graphicx xcolor algorithm algorithmicx algpseudocode listings stfloats epstopdf
pgfplots tikz tikz-cd tikz-qtree tikz-dependency tikz-3dplot tikz-network threeparttable adjustbox
""".split()


def test_there_is_one_file_a_profile() -> None:
    assert preamble_files() == tuple(preamble_path(profile) for profile in Profile)
    assert all(path.is_file() for path in preamble_files())


@pytest.mark.parametrize("profile", Profile)
def test_a_preamble_begins_with_the_class_and_ends_with_a_line(profile: Profile) -> None:
    assert preamble(profile).startswith("\\documentclass{article}\n")
    assert preamble(profile).endswith("\n")


@pytest.mark.parametrize("profile", Profile)
def test_both_profiles_load_what_the_references_had(profile: Profile) -> None:
    loaded = fixed_packages(preamble(profile))
    assert set(REFERENCE_PACKAGES) <= loaded.keys()
    assert loaded["threeparttable"] == {"flushleft"}


def test_helm_loads_nothing_else() -> None:
    assert fixed_packages(preamble(Profile.HELM)).keys() == set(REFERENCE_PACKAGES)


@pytest.mark.parametrize(
    "name",
    "booktabs multirow array tabularx longtable makecell colortbl mathtools bm mathrsfs siunitx cancel "
    "physics enumitem hyperref".split(),
)
def test_paper_loads_what_tables_and_maths_commonly_need(name: str) -> None:
    assert name in fixed_packages(preamble(Profile.PAPER))


def test_paper_without_algorithms_is_a_beginning_of_paper() -> None:
    shorter = preamble_without(Profile.PAPER, "algorithms")
    assert preamble(Profile.PAPER).startswith(shorter)
    assert fixed_packages(preamble(Profile.PAPER)).keys() - fixed_packages(shorter).keys() == {
        "algorithm",
        "algorithmicx",
        "algpseudocode",
    }


def test_a_section_that_does_not_exist_cannot_be_left_out() -> None:
    with pytest.raises(ValueError, match="no section 'poetry'"):
        preamble_without(Profile.PAPER, "poetry")


def test_libraries_are_known() -> None:
    assert {"positioning", "arrows.meta", "calc", "fillbetween"} <= fixed_libraries(preamble(Profile.PAPER))


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
