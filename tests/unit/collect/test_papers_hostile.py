"""Hostile sources are read in time that grows with their length alone; else these tests do not end."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from i2s_collect.candidates import Dropped, Piece, Reason
from i2s_collect.tex.cutting import cut_paper
from i2s_collect.tex.environments import MAX_CHARACTERS
from i2s_collect.tex.expansion import MAX_EXPANDED, ExpansionError, expand
from i2s_collect.tex.macros import macro
from i2s_collect.tex.reading import MAX_FILE_BYTES
from i2s_collect.tex.scanner import Scanner

MANY = 100_000


def cut(body: str, preamble: str = "") -> list[Piece | Dropped]:
    root = f"\\documentclass{{a}}{preamble}\\begin{{document}}{body}\\end{{document}}"
    return list(cut_paper({"main.tex": root.encode()}))


def reasons(found: list[Piece | Dropped]) -> list[Reason]:
    return [one.reason for one in found if isinstance(one, Dropped)]


@pytest.mark.slow
@pytest.mark.parametrize(
    "body",
    [
        "{" * MANY,
        "}" * MANY,
        "{" * MANY + "}" * MANY,
        "$" * (MANY + 1),
        "\\[" * MANY,
        "\\begin{equation}" * MANY,
        "\\end{equation}" * MANY,
        "\\begin{equation}{$" * (MANY // 2) + "\\end{table}" * (MANY // 2),
        "\\iffalse" * MANY,
        "\\iftrue" * MANY + "\\else" * MANY,
        "\\fi" * MANY,
        "\\def\\a{" * MANY,
        "\\def\\a#1" * MANY,
        "\\newcommand{\\a}[" * MANY,
        "\\newcommand" * MANY,
        "\\newenvironment{a}{" * MANY,
        "\\let" * MANY,
        "\\verb|" * MANY,
        "\\verb|\\verb!" * (MANY // 2),
        "\\url{" * MANY,
        "\\begin{verbatim}" * MANY,
        "\\begin{" * MANY,
        "\\begin{a" * MANY,
        "\\input{" * MANY,
        "\\usepackage[" * MANY,
        "\n \t" * MANY,
        " " * MANY + "\n" + " " * MANY,
        "%" * MANY,
        "\\" * MANY,
        "\\newif" * MANY,
        "\\tikzset{" * MANY,
        "\\definecolor[" * MANY,
        "\\tikzstyle{a}=[" * MANY,
    ],
    ids=lambda body: repr(body[:20]),
)
def test_repetitions_are_read_once(body: str) -> None:
    for one in cut(body):
        assert isinstance(one, Dropped), one


def test_environments_within_one_another_are_looked_at_to_a_depth() -> None:
    found = cut("\\begin{align}" * MANY + "x" + "\\end{align}" * MANY)
    assert set(reasons(found)) == {Reason.TOO_LONG}
    assert len(found) <= 3


def test_definitions_in_groups_are_taken_back_once() -> None:
    body = "{\\def\\a{1}" * 20_000 + "}" * 20_000 + "\\[ \\a \\]"
    (piece,) = cut(body, "\\def\\a{0}")
    assert isinstance(piece, Piece)
    assert piece.text == "\\[ 0\\]"


def test_macros_of_doubling_size_are_refused() -> None:
    names = [chr(ord("a") + number) for number in range(26)]
    doubling = "".join(f"\\def\\{one}{{\\{two}\\{two}}}" for one, two in pairwise(names))
    assert reasons(cut("\\[ \\a \\]", doubling)) == [Reason.MACROS]
    assert reasons(cut("\\[ \\a{x} \\]", "\\def\\a#1{\\a{#1#1}}")) == [Reason.MACROS]
    assert reasons(cut("\\[ \\a \\]", "\\def\\a{\\b}\\def\\b{\\a}")) == [Reason.MACROS]
    assert reasons(cut("\\[ \\a \\]", "\\def\\a{x\\a x}")) == [Reason.MACROS]
    assert reasons(cut("\\[ " + "\\a" * 3_000 + " \\]", f"\\def\\a{{{'x' * 9_000}}}")) == [Reason.MACROS]


def test_arguments_within_arguments_are_bounded() -> None:
    depth = 1_500
    text = "\\a{" * depth + "x" + "}" * depth
    with pytest.raises(ExpansionError):
        expand(text * 3, {"a": macro("#1", "m")}.get)


def test_many_declarations_and_many_cuts_are_bounded() -> None:
    declared = "\\tikzset{" + ",".join(f"a{n}/.style={{a}}" for n in range(100)) + "}"
    plots = "\\begin{tikzpicture} " + "a " * 1_000 + "\\end{tikzpicture}"
    found = cut(plots * 300, declared * 200 + "\\definecolor{a}{gray}{1}" * 200)
    assert {one.reason for one in found if isinstance(one, Dropped)} <= {Reason.TOO_LONG}
    assert len(found) == 300


@pytest.mark.slow
def test_a_paper_that_is_nothing_but_macros_is_given_up() -> None:
    body = ("\\[ " + "\\a{" * 400 + "x" + "}" * 400 + " \\]") * 1_000
    found = reasons(cut(body, "\\def\\a#1{#1}"))
    assert found[-1] is Reason.MACROS
    assert len(found) == 1_000


def test_files_of_fifty_megabytes_are_not_read() -> None:
    content = b"{" * 50_000_000
    root = b"\\documentclass{a}\\begin{document}\\input{big}\\[ a \\]\\end{document}"
    found = list(cut_paper({"main.tex": root, "big.tex": content}))
    assert reasons(found) == [Reason.TOO_LARGE]
    assert len(found) == 2
    assert reasons(list(cut_paper({"main.tex": content}))) == [Reason.NO_ROOT_FILE]
    assert len(content) > MAX_FILE_BYTES


def test_a_circle_of_files_and_a_long_chain_of_files_end() -> None:
    head = b"\\documentclass{a}\\begin{document}\\input{f0}"
    circle = {"main.tex": head, "f0.tex": b"\\input{f1}", "f1.tex": b"\\input{f0}\\input{main}\\[ a \\]"}
    assert len(list(cut_paper(circle))) == 1
    chain = {f"f{number}.tex": f"\\input{{f{number + 1}}}\\[ a \\]".encode() for number in range(2_000)}
    assert 0 < len(list(cut_paper({"main.tex": head, **chain}))) < 50


_PARTS = [
    "\\begin{equation}", "\\end{equation}", "\\begin{table}", "\\end{table}", "\\[", "\\]", "$", "$$",
    "{", "}", "%", "\n", "\n\n", " ", "a", "\\a", "\\b", "#1", "[", "]", "\\def\\a#1{", "\\def\\b{",
    "\\newcommand{\\a}[1][x]{", "\\let\\a=", "\\newif\\ifx", "\\ifx", "\\iffalse", "\\else", "\\fi",
    "\\verb|", "|", "\\label{", "\\xspace", "\\newenvironment{e}{", "\\begin{e}", "\\end{e}",
    "\\begin{verbatim}", "\\end{verbatim}", "é", "\\", "*", "\\DeclarePairedDelimiter{\\b}{(}{)}",
    "\\end{document}", "\\catcode`", "\\makeatletter", "\\input{", "main",
]  # fmt: skip


@given(st.lists(st.sampled_from(_PARTS), max_size=60).map("".join), st.booleans())
@example("\\begin{equation}\\a\\end{equation}", False)
def test_any_source_is_cut_into_pieces_that_are_small_and_stand_where_they_say(
    body: str, latin: bool
) -> None:
    root = "\\documentclass{a}\\def\\a{\\alpha}\\begin{document}" + body
    content = root.encode("latin-1" if latin else "utf-8")
    for one in cut_paper({"main.tex": content}):
        if isinstance(one, Dropped):
            continue
        assert 0 < len(one.text) <= MAX_CHARACTERS
        assert one.structure == one.text.encode()
        first, last = one.span
        assert content[first:last].startswith((b"\\begin", b"\\[", b"$$", b"\\a", b"\\b")), content[
            first:last
        ]
        assert 0 < first < last <= len(content)


@given(st.lists(st.sampled_from(_PARTS), max_size=60).map("".join))
def test_tokens_stand_in_their_order(text: str) -> None:
    scanner = Scanner(text)
    end = 0
    while token := scanner.next():
        assert end <= token.start < token.end == scanner.position <= len(text)
        end = token.end


@given(st.text(max_size=200))
def test_text_without_own_macros_comments_and_labels_is_expanded_to_itself(text: str) -> None:
    plain = text.replace("%", "").replace("\\", "/")
    assert expand(plain, {}.get).text == plain


def test_the_bound_on_results_holds_for_plain_text() -> None:
    with pytest.raises(ExpansionError, match="more than"):
        expand("x" * (MAX_EXPANDED + 1), {}.get)
