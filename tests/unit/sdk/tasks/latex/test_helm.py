"""Each method finds what its pattern finds."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_sdk.tasks import RepairKind, render_with_repairs
from i2s_sdk.tasks.latex import LatexDocument, LatexTask
from i2s_sdk.tasks.latex.document import preamble
from i2s_sdk.tasks.latex.helm import (
    HOPELESS,
    LineArguments,
    NextFound,
    first,
    helm_document,
    repair,
    strip_latex,
    without,
)
from i2s_wire.metrics.profile import Profile
from i2s_wire.render.rendering import Rendering, Verdict
from i2s_wire.render.source_error import SourceError


@given(st.text(alphabet="ab", max_size=30), st.lists(st.integers(0, 30), max_size=12))
def test_it_finds_what_a_fresh_search_finds(text: str, positions: list[int]) -> None:
    finder = NextFound(text, "ab")
    for position in sorted(positions) + positions:
        found = text.find("ab", position)
        assert finder.at(position) == (len(text) if found < 0 else found)


SOURCES = st.lists(st.sampled_from(["\\c", "{", "}", "[", "]", "]{", "\n", "a", " "]), max_size=25).map(
    "".join
)
NAME = r"\{[^\n]*?\}"
OPTION = r"(?:\[[^\n]*?\])?"
COMMAND = re.compile(r"\\c")


@given(SOURCES)
def test_removing_is_replacing_with_nothing(source: str) -> None:
    assert without(COMMAND, LineArguments.name, source) == re.sub(rf"\\c{NAME}", "", source)
    assert without(COMMAND, LineArguments.option_and_name, source) == re.sub(
        rf"\\c{OPTION}{NAME}", "", source
    )
    assert without(COMMAND, LineArguments.option_and_rest, source) == re.sub(
        rf"\\c{OPTION}\{{[^\n]*\}}", "", source
    )


@given(SOURCES)
def test_the_first_is_that_of_the_pattern(source: str) -> None:
    match = re.search(rf"\\c{OPTION}{NAME}", source)
    assert first(COMMAND, source) == (match.group() if match else None)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("\\usepackage{a} x", "x"),
        ("\\begin{a}x\\end{a}y", "\\begin{a}\nx\\end{a}\ny"),
        ("\\begin{a}[b]x", "\\begin{a}[b]\nx"),
        ("\\begin{a}[b]\nx", "\\begin{a}\n[b]\nx"),
        ("\\begin{a}\nx", "\\begin{a}\nx"),
        ("a\t\tb  c", "a  b c"),
        ("a\n \n\t\nb", "a\nb"),
        ("a \\end{document} b", "a"),
    ],
)
def test_every_rule(source: str, text: str) -> None:
    assert strip_latex(source) == text


@given(st.text(alphabet="\\begind{}[]ocumt \n\t", max_size=60))
def test_the_text_has_no_blank_line_and_no_blank_around_a_line(source: str) -> None:
    lines = strip_latex(source).split("\n")
    assert all(line == line.strip(" \t") for line in lines)
    assert all(lines) or lines == [""]


FIXED = preamble(Profile.HELM)


def test_a_fragment_is_delimited_on_its_own_line() -> None:
    assert helm_document("$x$").source == f"{FIXED}\n\n\n\\begin{{document}}$x$\\end{{document}}"


def test_an_old_header_is_a_class_too() -> None:
    code = "\\documentstyle[12pt]{report}\\begin{document}x\\end{document}"
    assert helm_document(code).source == f"{FIXED}\n\\begin{{document}}x\\end{{document}}"


def test_a_document_of_class_article_counts_as_begun() -> None:
    assert helm_document("\\documentclass{article}\nx").source == f"{FIXED}\n\nx\\end{{document}}"


def test_comments_are_not_spared() -> None:
    assert "{document}% {align*}  x" in helm_document("% {align} \\label{a}\n x").source


def test_making_a_document_again_leaves_a_blank_line_for_every_package() -> None:
    once = helm_document("x").source
    again = helm_document(once).source
    assert len(again) - len(once) == FIXED.count("\\usepackage") + 3


PIECES = [
    r"\documentclass{article}", "\\usepackage{b}\n", "{equation}", r"\begin{document}", r"\end{document}",
    "\n", "x",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_every_document_has_the_fixed_preamble_and_an_end(code: str) -> None:
    source = helm_document(code).source
    assert FIXED in source
    assert "{equation}" not in source


@pytest.mark.parametrize("message", ["Missing $ inserted.", "Error: \\mathbb allowed only in math mode."])
def test_maths_outside_of_math_mode_is_put_between_dollars(message: str) -> None:
    result = repair(helm_document("\\alpha"), SourceError(message))
    assert result is not None
    assert result.document.source.endswith("\\begin{document}$$\\alpha$$\\end{document}")
    assert result.repair.kind is RepairKind.WRAP_MATH


def test_dollars_pile_up_as_often_as_they_are_missed() -> None:
    task = LatexTask(Profile.HELM)
    refused = Rendering(Verdict.COMPILE_ERROR, error=SourceError("Missing $ inserted."))
    attempts = render_with_repairs(task, helm_document("x_1"), lambda document: refused)
    assert len(attempts.repairs) == 3
    assert attempts.document.source.endswith("\\begin{document}$$$$$$x_1$$$$$$\\end{document}")


def test_the_namesake_of_an_environment_is_loaded_and_removed_again() -> None:
    document = helm_document("\\begin{tabularx}x\\end{tabularx}")
    result = repair(document, SourceError("LaTeX Error: Environment tabularx undefined."))
    assert result is not None
    assert (result.repair.kind, result.repair.detail) == (RepairKind.ADD_NAMESAKE, "tabularx")
    assert "\\usepackage{tabularx}" not in result.document.source


def test_an_environment_named_like_a_fixed_package_ends_the_attempts() -> None:
    document = helm_document("\\begin{tikz}x\\end{tikz}")
    assert repair(document, SourceError("LaTeX Error: Environment tikz undefined.")) is None


@pytest.mark.parametrize("phrase", HOPELESS)
def test_some_errors_end_the_attempts_even_with_a_repair_in_reach(phrase: str) -> None:
    assert repair(helm_document("x"), SourceError(f"{phrase} Missing $ inserted")) is None


def test_other_errors_have_no_repair() -> None:
    assert repair(helm_document("x"), SourceError("Paragraph ended before \\frac was complete.")) is None


MESSAGES = st.sampled_from(["Missing $ inserted", "LaTeX Error: Environment x undefined", "?"])


@given(st.lists(MESSAGES, min_size=1))
def test_repairs_end_after_three(messages: list[str]) -> None:
    task = LatexTask(Profile.HELM)
    seen: list[LatexDocument] = []

    def refuse(document: LatexDocument) -> Rendering:
        seen.append(document)
        return Rendering(Verdict.COMPILE_ERROR, error=SourceError(messages[len(seen) % len(messages)]))

    render_with_repairs(task, helm_document("x"), refuse)
    assert len(seen) <= 4
