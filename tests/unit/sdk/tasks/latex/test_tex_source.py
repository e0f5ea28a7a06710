"""Delimiters that belong together, against counting from each one."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_sdk.tasks.latex.tex_source import (
    Delimiters,
    braced,
    bracketed,
    code_only,
    code_spans,
    commands,
    cut,
    find_code,
    rewrite_code,
    without_comments,
)

SOURCES = st.text(alphabet="\\%{}[]|$a \nverb*", max_size=80) | st.lists(
    st.sampled_from(
        [
            "\\begin{verbatim}",
            "\\end{verbatim}",
            "\\verb|",
            "|",
            "%",
            "\\%",
            "\n",
            "x",
            "\\label{a}",
            "{",
            "}",
            "\\\\",
        ]
    ),
    max_size=20,
).map("".join)


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("a % b\nc", "a \nc"),
        (r"a \% b", r"a \% b"),
        ("a \\\\% b\nc", "a \\\\\nc"),
        ("\\begin{verbatim}%x\\end{verbatim}y", "y"),
        ("\\begin{lstlisting}[a]\n$x\n\\end{lstlisting}y", "y"),
        ("\\begin{verbatim} x", ""),
        (r"\verb|%a|b", "b"),
        (r"\verb*+%a+b", "b"),
        ("\\verb|a\nb", "\nb"),
        ("% \\begin{verbatim}\nx", "\nx"),
        (r"\verbatim % x", r"\verbatim "),
    ],
)
def test_code_is_what_stands_outside_of_comments_and_verbatim_text(source: str, code: str) -> None:
    assert code_only(source) == code


def test_removing_comments_keeps_verbatim_text() -> None:
    assert without_comments("a%b\n\\verb|%c|\n\\begin{verbatim}\n%d\n\\end{verbatim}") == (
        "a\n\\verb|%c|\n\\begin{verbatim}\n%d\n\\end{verbatim}"
    )


@given(SOURCES)
def test_spans_are_in_order_and_apart(source: str) -> None:
    position = 0
    for start, end in code_spans(source):
        assert position <= start < end <= len(source)
        position = end


@given(SOURCES)
def test_rewriting_with_itself_changes_nothing(source: str) -> None:
    assert rewrite_code(re.compile(r"(.)", re.DOTALL), r"\1", source) == source


@given(SOURCES)
def test_what_is_found_in_code_stands_there(source: str) -> None:
    at = find_code("x", source)
    assert at == -1 or (source[at] == "x" and any(start <= at < end for start, end in code_spans(source)))


def test_arguments_may_nest_and_follow_blanks_and_comments() -> None:
    found = braced("x %c\n {a{b}\\}c}d", 1)
    assert found is not None
    assert (found.content, found.end) == ("a{b}\\}c", 15)


def test_a_bracket_inside_of_braces_does_not_end_an_option() -> None:
    found = bracketed("[a={b]c},d]e", 0)
    assert found is not None
    assert found.content == "a={b]c},d"


@pytest.mark.parametrize("source", ["", "x", "{a", "{a\\}", "[a]"])
def test_an_argument_without_end_is_none(source: str) -> None:
    assert braced(source, 0) is None


def test_commands_are_found_with_their_arguments() -> None:
    found = list(
        commands("\\usepackage[a,b]{c} \\usepackages{d} % \\usepackage{e}\n\\usepackage{f", {"usepackage": 1})
    )
    assert [(command.option, command.arguments) for command in found] == [("a,b", ("c",))]


def test_a_first_argument_may_be_a_bare_command() -> None:
    (found,) = commands(r"\DeclareMathOperator*\argmax{arg\,max}", {"DeclareMathOperator": 2})
    assert found.arguments == (r"\argmax", r"arg\,max")


def test_a_line_that_only_held_a_command_goes_with_it() -> None:
    source = "a\n  \\usepackage{x}\nb \\usepackage{y} c\n"
    assert cut(source, list(commands(source, {"usepackage": 1}))) == "a\nb  c\n"


@given(SOURCES)
def test_commands_are_read_from_any_source(source: str) -> None:
    found = list(commands(source, {"label": 1, "verb": 1}))
    assert len(cut(source, found)) <= len(source)


def counted(source: str, opening: int) -> int | None:
    closing = {"{": "}", "[": "]"}[source[opening]]
    depth, index = 0, opening + 1
    while index < len(source):
        character = source[index]
        if character == closing and depth == 0:
            return index
        depth += (character == "{") - (character == "}")
        index += 2 if character == "\\" else 1
    return None


@given(st.text(alphabet="{}[]\\a", max_size=40))
def test_each_delimiter_is_closed_where_counting_says(source: str) -> None:
    delimiters = Delimiters(source)
    for index, character in enumerate(source):
        if source[max(0, index - 1)] == "\\":
            continue  # perhaps no delimiter: what is escaped is never asked for
        if character == "{":
            assert delimiters.brace(index) == counted(source, index)
        elif character == "[":
            assert delimiters.bracket(index) == counted(source, index)
