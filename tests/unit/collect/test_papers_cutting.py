"""Environments are cut out of papers as TeX reads them, and refused if they do not stand alone."""

from __future__ import annotations

import pytest

from i2s_collect.candidates import Dropped, Piece, Reason
from i2s_collect.tex import reading
from i2s_collect.tex.cutting import cut_paper
from i2s_collect.tex.environments import MAX_CHARACTERS
from i2s_collect.tex.reading import find_roots, read_text

HEAD = "\\documentclass{article}\n"


def paper(body: str, preamble: str = "", **files: str) -> dict[str, bytes]:
    """Return the files of a paper; names of further ones are given without their suffix."""
    root = f"{HEAD}{preamble}\n\\begin{{document}}\n{body}\n\\end{{document}}\n"
    return {"main.tex": root.encode(), **{f"{name}.tex": text.encode() for name, text in files.items()}}


def pieces(members: dict[str, bytes]) -> list[Piece]:
    return [one for one in cut_paper(members) if isinstance(one, Piece)]


def texts(body: str, preamble: str = "", **files: str) -> list[str]:
    return [piece.text for piece in pieces(paper(body, preamble, **files))]


def reasons(members: dict[str, bytes]) -> list[tuple[str, Reason]]:
    return [(one.subset, one.reason) for one in cut_paper(members) if isinstance(one, Dropped)]


EQUATION = "\\begin{equation}\n  x = 1\n\\end{equation}"


# The ten faults of the cutter of Image2Struct.


def test_an_environment_that_begins_in_a_comment_is_none() -> None:
    assert texts(
        f"x % \\begin{{equation}}\n{EQUATION}\n% \\begin{{table}}\n100\\% \\begin{{math}} y \\end{{math}}"
    ) == [
        EQUATION,
        "\\begin{math} y \\end{math}",
    ]


def test_an_environment_on_one_line_ends_there() -> None:
    body = "\\begin{equation} a \\end{equation} between\n\\begin{equation} b \\end{equation}"
    assert texts(body) == ["\\begin{equation} a \\end{equation}", "\\begin{equation} b \\end{equation}"]


def test_text_before_an_environment_on_its_line_is_not_taken() -> None:
    assert texts("Hence we have \\begin{align} a \\end{align} as wanted.") == [
        "\\begin{align} a \\end{align}"
    ]


def test_an_environment_ends_at_its_own_end_and_not_at_an_inner_one() -> None:
    inner = "\\begin{tikzpicture} \\draw (0,0) -- (1,1); \\end{tikzpicture}"
    outer = f"\\begin{{tikzpicture}} \\node {{{inner}}}; \\node {{after}}; \\end{{tikzpicture}}"
    assert texts(outer) == [outer]


@pytest.mark.parametrize(
    "hidden",
    [
        "\\begin{verbatim}\n\\begin{equation} z \\end{equation}\n\\end{verbatim}",
        "\\begin{lstlisting}[language=TeX]\n\\begin{equation} z \\end{equation}\n\\end{lstlisting}",
        "\\begin{minted}{tex}\n\\[ z \\]\n\\end{minted}",
        "\\begin{comment}\n\\begin{equation} z \\end{equation}\n\\end{comment}",
        "\\iffalse\n\\begin{equation} z \\end{equation}\n\\ifnum1=1 a \\else \\[ z \\] \\fi \\fi",
        "\\iftrue\\else\\[ z \\]\\fi",
        "\\verb|\\begin{equation}| and \\verb*+$$ z+",
        "\\lstinline!\\[ z \\]!",
        "\\url{https://example.org/a%20b_$$c}",
        "\\end{document}\n\\begin{equation} z \\end{equation}",
    ],
)
def test_what_is_not_typeset_is_not_cut(hidden: str) -> None:
    assert texts(f"{EQUATION}\n{hidden}") == [EQUATION]


@pytest.mark.parametrize(
    "use",
    ["\\ref{a}", "\\eqref{a}", "\\cite{b}", "\\citep[see][2]{b}", "\\Cref{a}", "\\autoref{a}", "\\seeit"],
)
@pytest.mark.parametrize("name", ["equation", "table", "algorithm", "tikzpicture"])
def test_references_and_citations_are_refused_in_every_subset(use: str, name: str) -> None:
    members = paper(f"\\begin{{{name}}} a {use} \\end{{{name}}}", "\\newcommand{\\seeit}{Eq.~\\eqref{a}}")
    assert [reason for _, reason in reasons(members)] == [Reason.REFERENCE]


def test_names_of_pictures_are_refused_and_not_replaced() -> None:
    body = "\\begin{table} \\includegraphics{a} a \\end{table} a \\begin{tikzpicture} a \\end{tikzpicture}"
    assert texts(body) == ["\\begin{tikzpicture} a \\end{tikzpicture}"]
    assert reasons(paper(body)) == [("table", Reason.PICTURE_FILE)]


@pytest.mark.parametrize(
    ("body", "subset", "text"),
    [
        ("so \\[ a \\] is", "equation", "\\[ a \\]"),
        ("so $$ a \\text{ if $b$} $$ is", "equation", "$$ a \\text{ if $b$} $$"),
        (
            "\\begin{eqnarray} a &=& b \\end{eqnarray}",
            "equation",
            "\\begin{eqnarray} a &=& b \\end{eqnarray}",
        ),
        ("\\begin{longtable}{l} a \\end{longtable}", "table", "\\begin{longtable}{l} a \\end{longtable}"),
        (
            "\\begin{figure}\\begin{tikzpicture} \\node {a}; \\end{tikzpicture}\\caption{b}\\end{figure}",
            "plot",
            "\\begin{tikzpicture} \\node {a}; \\end{tikzpicture}",
        ),
    ],
)
def test_displays_long_tables_and_plots_in_figures_are_cut(body: str, subset: str, text: str) -> None:
    (piece,) = pieces(paper(body))
    assert (piece.subset, piece.text) == (subset, text)


def test_files_are_read_where_the_root_names_them_and_drafts_are_not() -> None:
    members = paper(
        "\\input{parts/one} \\include{two} \\input two \\[ root \\]",
        draft="\\[ draft \\]",
        two="\\[ two \\] \\input{missing}",
    )
    members["parts/one.tex"] = b"\\[ one \\] \\input{parts/three.tex} \\endinput \\[ after \\]"
    members["parts/three.tex"] = b"\\[ three \\] \\input{parts/one}"
    assert sorted(piece.text for piece in pieces(members)) == [
        "\\[ one \\]",
        "\\[ root \\]",
        "\\[ three \\]",
        "\\[ two \\]",
    ]


def test_own_macros_are_taken_along() -> None:
    preamble = (
        "\\newcommand{\\R}{\\mathbb{R}}\n\\newcommand\\norm[2][p]{\\lVert #2 \\rVert_{#1}}\n"
        "\\def\\half{\\frac12}\\DeclareMathOperator*{\\argmin}{arg\\,min}\n\\let\\eps\\varepsilon\n"
        "\\DeclarePairedDelimiter{\\abs}{\\lvert}{\\rvert}\\NewDocumentCommand{\\pair}{O{a} m}{(#1, #2)}"
    )
    body = (
        "\\[ \\argmin_{x \\in \\R} \\norm{x} + \\norm[2]{\\half x} + \\eps y "
        "\\abs*{z} \\abs{z} \\pair{b}\\pair[c]d \\]"
    )
    (piece,) = pieces(paper(body, preamble))
    assert piece.text == (
        "\\[ \\operatorname*{arg\\,min}_{x \\in \\mathbb{R}} \\lVert x \\rVert_{p} + "
        "\\lVert \\frac12x \\rVert_{2} + \\varepsilon y \\left\\lvert z \\right\\rvert "
        "\\mathopen{\\lvert} z \\mathclose{\\rvert} (a, b)(c, d) \\]"
    )
    assert piece.notes["expanded"] == 10


# Beyond.


def test_a_cut_says_where_it_stood() -> None:
    members = paper("Grüße \\begin{equation} é = \\R \\label{a} \\end{equation}", "\\def\\R{R}")
    (piece,) = pieces(members)
    assert members["main.tex"][slice(*piece.span)].decode() == (
        "\\begin{equation} é = \\R \\label{a} \\end{equation}"
    )
    assert piece.text == piece.structure.decode() == "\\begin{equation} é = R \\end{equation}"
    assert piece.length == len(piece.text)
    assert piece.notes["environment"] == "equation"


def test_sources_in_latin_1_and_with_a_byte_order_mark_are_read() -> None:
    root = f"{HEAD}\\begin{{document}} Grüße \\[ \\text{{für}} \\] \\end{{document}}"
    latin, marked = root.encode("latin-1"), b"\xef\xbb\xbf" + root.encode()
    for content, encoding in ((latin, "latin-1"), (marked, "utf-8")):
        (piece,) = pieces({"main.tex": content})
        assert piece.text == "\\[ \\text{für} \\]"
        assert content[slice(*piece.span)].decode(encoding) == piece.text


def test_lines_of_labels_and_comments_go_and_the_rest_stays() -> None:
    body = (
        "\\begin{align}\n  % why\n  a &= b % because\n  \\label{one}\n  \\\\ c &= d%\n e 50\\%\n"
        "  \\label{two} f\r\n\\end{align}"
    )
    assert texts(body) == ["\\begin{align}\n  a &= b\n  \\\\ c &= d%\n e 50\\%\n   f\n\\end{align}"]


def test_branches_that_are_not_taken_go() -> None:
    preamble = "\\newif\\iflong \\longtrue \\newif\\ifdraft"
    body = "\\[ \\ifdraft d \\else e \\fi \\iflong f \\else g \\fi \\iffalse h \\fi \\]"
    assert [text.split() for text in texts(body, preamble)] == [["\\[", "e", "f", "\\]"]]


def test_macros_that_begin_and_end_environments_are_followed() -> None:
    preamble = (
        "\\newcommand{\\be}{\\begin{equation}}\\newcommand{\\ee}{\\end{equation}}"
        "\\newenvironment{eq}[1]{\\begin{align*}\\mathrm{#1} &}{\\end{align*}}"
    )
    assert texts("\\be x \\ee and \\begin{eq}{a} = b \\end{eq}", preamble) == [
        "\\begin{equation}x \\end{equation}",
        "\\begin{align*}\\mathrm{a} & = b \\end{align*}",
    ]


def test_a_definition_holds_in_its_group_and_from_where_it_stands() -> None:
    body = "\\[ \\x \\] {\\def\\x{1}\\[ \\x \\]} \\[ \\x \\] \\def\\x{2}\\[ \\x \\] \\gdef\\y{3}\\[ \\y \\]"
    assert texts(body, "\\newcommand{\\x}{0}") == ["\\[ 0\\]", "\\[ 1\\]", "\\[ 0\\]", "\\[ 2\\]", "\\[ 3\\]"]


def test_names_that_a_cut_defines_itself_stay() -> None:
    body = "\\begin{table}\\newcommand{\\x}{1}\\begin{tabular}{l}\\x\\end{tabular}\\end{table}"
    assert texts(body, "\\newcommand{\\x}{0}") == [body]


def test_a_theorem_by_the_name_of_an_environment_is_not_cut() -> None:
    assert texts("\\begin{algorithm} a \\end{algorithm}\\[ b \\]", "\\newtheorem{algorithm}{Algorithm}") == [
        "\\[ b \\]"
    ]


def test_macros_are_read_from_packages_of_the_paper() -> None:
    members = paper("\\[ \\R \\]", "\\usepackage{amsmath, mine}")
    members["mine.sty"] = (
        b"\\def\\my@x{1}\\newcommand{\\R}{\\mathbb{R}}\\newcommand{\\bad}{\\my@x}\\[ none \\]"
    )
    assert [piece.text for piece in pieces(members)] == ["\\[ \\mathbb{R}\\]"]


def test_the_inner_environment_is_taken_if_the_outer_is_refused() -> None:
    inner = "\\begin{algorithmic} \\State a \\end{algorithmic}"
    whole = f"\\begin{{algorithm}} \\caption{{b}} {inner} \\end{{algorithm}}"
    refused = f"\\begin{{algorithm}} \\caption{{see \\ref{{b}}}} {inner} \\end{{algorithm}}"
    assert texts(whole) == [whole]
    assert texts(refused) == [inner]
    assert reasons(paper(refused)) == [("algorithm", Reason.REFERENCE)]


def test_maths_that_was_never_closed_does_not_hide_what_follows() -> None:
    body = "It costs $5.\n\nThen \\[ a \\] and $b$ $c$$d$ {$e} \\begin{center} \\[ f \\end{center} \\[ g \\]"
    assert texts(body) == ["\\[ a \\]", "\\[ g \\]"]


@pytest.mark.parametrize(
    ("body", "subset", "reason"),
    [
        ("\\begin{equation} \\label{a} \\end{equation}", "equation", Reason.EMPTY),
        ("\\[ \\]", "equation", Reason.EMPTY),
        (f"\\[ {'a + ' * MAX_CHARACTERS} b \\]", "equation", Reason.TOO_LONG),
        (f"\\[ {'a + ' * (MAX_CHARACTERS // 3)} b \\]", "equation", Reason.TOO_LONG),
        ("\\begin{table} \\input{rows} a \\end{table}", "table", Reason.INPUT_FILE),
        (
            "\\begin{tikzpicture} \\addplot table [x=a] {data.csv}; \\end{tikzpicture}",
            "plot",
            Reason.INPUT_FILE,
        ),
        (
            "\\begin{tikzpicture} \\addplot graphics {a.png}; \\end{tikzpicture}",
            "plot",
            Reason.PICTURE_FILE,
        ),
        ("\\[ \\catcode`\\a=13 b \\]", "equation", Reason.CATEGORY_CODES),
        ("\\def\\a{\\a\\a}\\[ \\a \\]", "equation", Reason.MACROS),
        ("\\def\\a#1{#1#1}\\[ " + "\\a{" * 40 + "x" + "}" * 40 + "\\]", "equation", Reason.MACROS),
        ("\\def\\a#1{#1}\\[ {\\a} \\]", "equation", Reason.MACROS),
    ],
)
def test_what_does_not_stand_alone_is_refused(body: str, subset: str, reason: Reason) -> None:
    assert reasons(paper(body)) == [(subset, reason)]
    assert pieces(paper(body)) == []


def test_a_plot_with_data_of_its_own_is_no_input() -> None:
    body = "\\begin{tikzpicture} \\addplot table {\n x y\n 1 2\n}; \\end{tikzpicture}"
    assert texts(body) == [body]


def test_documents_without_root_or_without_anything_to_cut_say_so() -> None:
    assert reasons({"a.tex": b"\\[ a \\]", "b.txt": HEAD.encode()}) == [("", Reason.NO_ROOT_FILE)]
    assert reasons({"a.tex": b"% \\documentclass{article}\n\\[ a \\]"}) == [("", Reason.NO_ROOT_FILE)]
    assert reasons(paper("Only text.")) == [("", Reason.NOTHING_TO_CUT)]


def test_nothing_is_read_after_a_change_of_category_codes() -> None:
    members = paper("\\[ a \\] \\catcode`\\%=12 % \\[ b \\]")
    assert [piece.text for piece in pieces(members)] == ["\\[ a \\]"]
    assert reasons(members) == [("", Reason.CATEGORY_CODES)]


def test_roots_that_are_parts_of_others_come_last() -> None:
    part = b"\\documentclass[main]{subfiles}\\begin{document}\\[ part \\]\\end{document}"
    members = {**paper("\\subfile{a/part}"), "a/part.tex": part, "b.tex": b"text"}
    assert find_roots(members) == ["main.tex", "a/part.tex"]
    assert [piece.member for piece in pieces(members)] == ["a/part.tex"]


def test_large_files_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_FILE_BYTES", 1_000)
    members = paper("\\input{big} \\[ a \\]", big="\\[ b \\]" + " " * 1_000)
    assert [piece.text for piece in pieces(members)] == ["\\[ a \\]"]
    assert reasons(members) == [("", Reason.TOO_LARGE)]


def test_bytes_are_counted_from_a_known_place() -> None:
    text = read_text("a", "aé€b".encode())
    assert [text.byte(number) for number in range(5)] == [0, 1, 3, 6, 7]
    assert text.byte(4, (2, 3)) == 7


DECLARED = (
    "\\definecolor{sea}{rgb}{0,0.2,0.5}\\colorlet{deep}{sea!50}\\definecolor{unused}{gray}{0.5}\n"
    "\\tikzset{box/.style={draw,fill=deep}, dot/.style={circle}}\\tikzset{>=latex}\n"
    "\\tikzstyle{old}=[draw=\\thick]\n"
    "\\newcolumntype{C}[1]{>{\\centering}p{#1}}\\pgfplotsset{compat=1.16}\\newcommand{\\thick}{red}\n"
)


def test_colors_styles_and_columns_are_taken_along_if_they_are_used() -> None:
    body = (
        "\\begin{tikzpicture} \\node[box] {a}; \\end{tikzpicture}\n"
        "\\begin{tikzpicture} \\node[old] {a}; \\end{tikzpicture}\n"
        "\\begin{table}\\begin{tabular}{lC{2cm}} a & \\color{sea} b \\end{tabular}\\end{table}\n"
        "\\[ a \\] \\[ \\color{unused} sea \\]"
    )
    one, two, three, four, five = pieces(paper(body, DECLARED))
    assert one.text.splitlines() == [
        "\\definecolor{sea}{rgb}{0,0.2,0.5}",
        "\\colorlet{deep}{sea!50}",
        "\\tikzset{box/.style={draw,fill=deep}, dot/.style={circle}}",
        "\\tikzset{>=latex}",
        "\\begin{tikzpicture} \\node[box] {a}; \\end{tikzpicture}",
    ]
    assert one.notes["declarations"] == 4
    assert two.text.splitlines()[:2] == ["\\tikzset{>=latex}", "\\tikzstyle{old}=[draw=red]"]
    assert three.text.splitlines()[:2] == [
        "\\definecolor{sea}{rgb}{0,0.2,0.5}",
        "\\newcolumntype{C}[1]{>{\\centering}p{#1}}",
    ]
    assert four.text == "\\[ a \\]"
    assert "\\definecolor{unused}" in five.text


def test_a_declaration_holds_in_its_group() -> None:
    plot = "\\begin{tikzpicture} \\node {a}; \\end{tikzpicture}"
    body = f"{plot} \\begin{{figure}}\\tikzset{{x=2cm}}{plot}\\end{{figure}} {plot}"
    assert texts(body) == [plot, f"\\tikzset{{x=2cm}}\n{plot}", plot]


def test_plots_that_refer_to_other_places_of_a_page_are_refused() -> None:
    body = "\\begin{tikzpicture}[remember picture,overlay] \\draw (a) -- (b); \\end{tikzpicture}"
    assert reasons(paper(body)) == [("plot", Reason.REFERENCE)]
