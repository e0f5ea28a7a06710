import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_sdk.tasks.latex.display_repairs import (
    MAX_TOKENS,
    Mended,
    aligned,
    closed,
    taggable,
    unnested,
    with_delimiters_split,
    with_plain_characters,
    with_rows_ended,
    without_blank_lines,
)

Mend = Callable[[str], Mended | None]


def with_ampersands(source: str) -> Mended | None:
    return with_plain_characters(source, "&")


def with_hashes(source: str) -> Mended | None:
    return with_plain_characters(source, "#")


ALL: tuple[Mend, ...] = (
    unnested,
    aligned,
    taggable,
    without_blank_lines,
    closed,
    with_rows_ended,
    with_delimiters_split,
    with_ampersands,
    with_hashes,
)
GOOD = (
    "",
    "Text, $x$ and \\(y\\).\n\n\\[ a \\]\n\n$$b$$\n",
    "\\begin{align*}\na &= \\left( b \\right) \\\\[2pt]\nc &= d \\text{if $x$} % $ \\] {\n\\end{align*}\n\nx",
    "\\begin{gather}\\begin{aligned} a&=b \\end{aligned}\\\\ \\begin{align} c&=d\\end{align}\\end{gather}",
    "\\begin{equation}\\begin{split} a &= b \\end{split} \\tag{1}\\end{equation}",
    "\\begin{tabular}{ll}\n\\toprule\na & b \\\\\n\\midrule\n\nc & d \\\\ \\bottomrule\n\\end{tabular}",
    "\\newcommand{\\x}[1]{#1} \\[ \\begin{minipage}{1cm} a\n\n b \\[ c \\] \\end{minipage} \\]",
    "\\begin{verbatim}\n\\[ \\begin{align} & # \n\n\\end{verbatim} \\verb|\\[ $| \\# \\& \\$",
    "\\[ \\begin{array}{l} a \\\\ \\hline b \\end{array} \\left\\{ \\{ \\right. \\]",
    "\\begin{tikzpicture}[a,\nb]\\node {$x$}; \\matrix { a & b \\\\ };\\end{tikzpicture}",
)


@pytest.mark.parametrize("mend", ALL)
@pytest.mark.parametrize("source", GOOD)
def test_a_source_without_the_fault_is_left_alone(mend: Mend, source: str) -> None:
    assert mend(source) is None


@pytest.mark.parametrize(
    ("source", "mended", "detail"),
    [
        (r"\[\begin{align*}a\end{align*}\]", r"\begin{align*}a\end{align*}", r"\["),
        (r"$$ \begin{gather}a\end{gather} $$", r" \begin{gather}a\end{gather} ", "$$"),
        ("x\n\\[\n\\begin{align}\na\n\\end{align}\n\\]\ny", "x\n\\begin{align}\na\n\\end{align}\ny", r"\["),
        (
            "\\begin{equation}\n%\n\\begin{multline}a\\end{multline}\n\\end{equation}",
            "%\n\\begin{multline}a\\end{multline}\n",
            "equation",
        ),
        (r"$$\[\begin{align}a\end{align}\]$$", r"\begin{align}a\end{align}", r"$$ \["),
        (r"$\begin{align}a\end{align}$", r"\begin{align}a\end{align}", "$"),
        (r"\[ x = \begin{align}a\end{align} \]", r"\[ x = \begin{aligned}a\end{aligned} \]", "align"),
        (r"\[\begin{align}a\end{align}.\]", r"\[\begin{aligned}a\end{aligned}.\]", "align"),
        (
            r"\[\boxed{\begin{alignat*}{2}a\end{alignat*}}\]",
            r"\[\boxed{\begin{alignedat}{2}a\end{alignedat}}\]",
            "alignat*",
        ),
        (r"\boxed{\begin{gather}a\end{gather}}", r"\boxed{\begin{gathered}a\end{gathered}}", "gather"),
        (r"\[ x \begin{multline}a\end{multline}\]", r"\[ x \begin{multlined}a\end{multlined}\]", "multline"),
        (
            r"\[ x \begin{eqnarray}a\end{eqnarray}\]",
            r"\[ x \begin{array}{>{\displaystyle}r>{\displaystyle}c>{\displaystyle}l}a\end{array}\]",
            "eqnarray",
        ),
        (r"\[ $a$ \]", r"\[ a \]", "$"),
        (r"\[ x \[a\] \]", r"\[ x a \]", r"\["),
        (r"\[ x \begin{equation*}a\end{equation*} \]", r"\[ x a \]", "equation*"),
        (
            r"\begin{equation}\(a\) \text{if $b$}\end{equation}",
            r"\begin{equation}a \text{if $b$}\end{equation}",
            r"\(",
        ),
        (r"$$\begin{split}a\end{split}$$", r"$$\begin{aligned}a\end{aligned}$$", "split"),
        (r"\begin{split}a\end{split}", r"\begin{aligned}a\end{aligned}", "split"),
    ],
)
def test_mathematics_begins_once(source: str, mended: str, detail: str) -> None:
    assert unnested(source) == Mended(mended, detail)


@pytest.mark.parametrize(
    "source",
    [
        r"\[ a \] $b$ \begin{align} c \end{align}",
        r"cost $5 and \[ a \] or 6$",
        "a $5 sum\n\nand \\[ a \\] then $6",
        r"% \[ $a$ \]",
        r"\begin{lstlisting} \[ $a$ \] \end{lstlisting}",
        r"\[ \text{where $a$ and \(b\)} \]",
        r"\[ \parbox{3cm}{so $a$} \]",
        r"\\[2pt] $a$ \\[3pt]",
    ],
)
def test_mathematics_elsewhere_is_no_mathematics_in_mathematics(source: str) -> None:
    assert unnested(source) is None


@pytest.mark.parametrize(
    ("source", "mended", "detail"),
    [
        (
            "\\begin{align}\na\\\\\n\n \t\n\nb\n\n\\end{align}",
            "\\begin{align}\na\\\\\nb\n\\end{align}",
            "align",
        ),
        ("x\n\n\\[\n\na\n\nb \\]\n\ny", "x\n\n\\[\na\nb \\]\n\ny", "\\["),
        ("$$a\n\n\\text{b\n\nc}$$", "$$a\n\\text{b\nc}$$", "$$"),
        (
            "\\begin{axis}[a,\n\nb={\n\n}]\n\nc\\end{axis}",
            "\\begin{axis}[a,\nb={\n}]\n\nc\\end{axis}",
            "axis",
        ),
        ("\\begin{equation}\r\n\r\na\\end{equation}", "\\begin{equation}\r\na\\end{equation}", "equation"),
        ("\\[ a % b\n\nc \\]", "\\[ a % b\nc \\]", "\\["),
    ],
)
def test_displays_and_options_have_no_blank_lines(source: str, mended: str, detail: str) -> None:
    assert without_blank_lines(source) == Mended(mended, detail)


def test_a_display_that_never_ends_keeps_its_blank_lines() -> None:
    assert without_blank_lines("\\[ a\n\nb") is None


@pytest.mark.parametrize(
    ("source", "mended", "detail"),
    [
        (r"\[a &= b \\ c &= d\]", r"\[\begin{aligned}a &= b \\ c &= d\end{aligned}\]", r"\["),
        (
            r"\begin{equation*}a &= b\end{equation*}",
            r"\begin{equation*}\begin{aligned}a &= b\end{aligned}\end{equation*}",
            "equation*",
        ),
        (r"\begin{gather}a &= b\end{gather}", r"\begin{align*}a &= b\end{align*}", "gather"),
    ],
)
def test_displays_with_tabs_are_aligned(source: str, mended: str, detail: str) -> None:
    assert aligned(source) == Mended(mended, detail)


@pytest.mark.parametrize(
    "source", [r"\[\begin{pmatrix}a & b\end{pmatrix}\]", r"$a & b$", r"a & b", r"\[ a \& b \]"]
)
def test_tabs_of_anything_else_do_not_align_a_display(source: str) -> None:
    assert aligned(source) is None


@pytest.mark.parametrize(
    ("source", "mended", "detail"),
    [
        (r"$$a \tag{1}$$ $$b$$", r"\[a \tag{1}\] $$b$$", "$$"),
        (
            r"\[\begin{aligned}a \tag{1}\\b \tag*{x}\end{aligned}\]",
            r"\begin{align*}a \tag{1}\\b \tag*{x}\end{align*}",
            "aligned",
        ),
        (
            r"$$\begin{gathered}a \tag{1}\end{gathered}$$",
            r"\begin{gather*}a \tag{1}\end{gather*}",
            "gathered",
        ),
    ],
)
def test_tags_stand_where_amsmath_permits_them(source: str, mended: str, detail: str) -> None:
    assert taggable(source) == Mended(mended, detail)


@pytest.mark.parametrize(
    "source", [r"text \tag{1}", r"\[ x \begin{aligned}a \tag{1}\end{aligned}\]", r"$a \tag{1}$"]
)
def test_a_tag_without_a_display_of_its_own_is_left_alone(source: str) -> None:
    assert taggable(source) is None


@pytest.mark.parametrize(
    ("source", "mended", "detail"),
    [
        ("\\begin{a}\n\\textbf{x \n", "\\begin{a}\n\\textbf{x\n}\n\\end{a}", "} \\end{a}"),
        ("\\[ \\frac{a}{b", "\\[ \\frac{a}{b\n}\n\\]", "} \\]"),
        ("\\begin{a} x \\\\", "\\begin{a} x \\\\\n\\end{a}", "\\end{a}"),
        ("\\begin{a} % x", "\\begin{a} % x\n\\end{a}", "\\end{a}"),
        ("\\begin{lstlisting}\nx {", "\\begin{lstlisting}\nx {\n\\end{lstlisting}", "\\end{lstlisting}"),
        (
            "\\begin{table}\\resizebox{1cm}{!}{\\begin{tabular}{l}a\\end{tabular}\\end{table}",
            "\\begin{table}\\resizebox{1cm}{!}{\\begin{tabular}{l}a\\end{tabular}}\\end{table}",
            "}",
        ),
        ("\\begin{a}\\begin{b}x\\end{a}", "\\begin{a}\\begin{b}x\\end{b}\\end{a}", "\\end{b}"),
    ],
)
def test_what_is_left_open_is_closed(source: str, mended: str, detail: str) -> None:
    assert closed(source) == Mended(mended, detail)


@pytest.mark.parametrize(
    "source",
    [
        "costs $5",
        r"\[ \frac{a}{b \]",
        r"\begin{align} \begin{cases} a \end{align}",
        r"x} \begin{a}",
        r"\end{b} \begin{a}",
        r"\begin{a} \( x",
        r"\begin{a} x & \cd",
        "\\begin{a} x \\",
    ],
)
def test_what_can_be_closed_in_several_places_is_left_alone(source: str) -> None:
    assert closed(source) is None


@pytest.mark.parametrize(
    ("source", "mended"),
    [
        (r"\begin{tabular}{l} a & b \hline", None),
        (r"\begin{tabular}{l} a & b \hline\end{tabular}", r"\begin{tabular}{l} a & b \\ \hline\end{tabular}"),
        (
            r"\begin{tabular}{l}\hline a & b \\[1pt]\hline\hline c & d \cline{1-2}\end{tabular}",
            r"\begin{tabular}{l}\hline a & b \\[1pt]\hline\hline c & d \\ \cline{1-2}\end{tabular}",
        ),
        (r"\begin{tabular}{l} a & {x \hline} \\ \end{tabular}", None),
    ],
)
def test_a_rule_follows_the_end_of_a_row(source: str, mended: str | None) -> None:
    assert with_rows_ended(source) == (Mended(mended, r"\\") if mended else None)


@pytest.mark.parametrize(
    ("source", "mended"),
    [
        (
            r"\begin{align}a &= \left( b \\[2pt] &+ c \right)\end{align}",
            r"\begin{align}a &= \left( b \right. \\[2pt]\left.{} \right. &\left.{}+ c \right)\end{align}",
        ),
        (r"\begin{align}a &= \left( b \\ c \end{align}", None),
        (r"\begin{align}a \right) \left( b \\ c \right)\end{align}", None),
        (r"\begin{align}\begin{pmatrix} \left( b \right) \\ c \end{pmatrix}\end{align}", None),
    ],
)
def test_delimiters_pair_within_a_cell(source: str, mended: str | None) -> None:
    assert with_delimiters_split(source) == (Mended(mended, r"\left") if mended else None)


@pytest.mark.parametrize(
    ("mend", "source", "mended"),
    [
        (with_ampersands, r"A & B, \textbf{C & D} \& $x$", r"A \& B, \textbf{C \& D} \& $x$"),
        (
            with_ampersands,
            r"\begin{table}\caption{A & B}\begin{tabular}{l}a & \textbf{b & c}\end{tabular}\end{table}",
            r"\begin{table}\caption{A \& B}\begin{tabular}{l}a & \textbf{b & c}\end{tabular}\end{table}",
        ),
        (
            with_ampersands,
            r"\begin{itemize}\item a & b\end{itemize}",
            r"\begin{itemize}\item a \& b\end{itemize}",
        ),
        (with_hashes, r"# a \# $#A$ % #", r"\# a \# $\#A$ % #"),
        (with_hashes, r"\newcommand{\x}[1]{#1 ##2} #", r"\newcommand{\x}[1]{#1 ##2} \#"),
    ],
)
def test_characters_that_can_mean_nothing_else_are_escaped(mend: Mend, source: str, mended: str) -> None:
    result = mend(source)
    assert result is not None
    assert result.source == mended


NAMES = ("align*", "aligned", "equation", "split", "tabular", "minipage", "verbatim")
TOKENS = st.sampled_from(
    [*"{}[]&#%\n$x |", "$$", "\n\n", "\\[", "\\]", "\\(", "\\)", "\\\\", "\\hline", "\\left(", "\\right)"]
    + [f"\\{which}{{{name}}}" for name in NAMES for which in ("begin", "end")]
    + ["\\tag{1}", "\\text{", "\\caption{", "\\verb|"]
)
SOURCES = st.lists(TOKENS, max_size=25).map("".join) | st.text(max_size=60)


@given(SOURCES)
def test_a_repair_of_a_row_or_a_character_leaves_nothing_to_repair(source: str) -> None:
    for mend in (without_blank_lines, with_rows_ended, with_ampersands, with_hashes):
        result = mend(source)
        assert result is None or mend(result.source) is None


@given(SOURCES)
def test_a_repair_changes_the_source_and_adds_no_words(source: str) -> None:
    for mend in ALL:
        result = mend(source)
        if result is not None:
            assert result.source != source
            assert result.detail
            assert result.source.count("x") == source.count("x")


@given(SOURCES)
def test_comments_stay_as_they_are(source: str) -> None:
    comment = "\n%\\[ $a$ & # \\hline {\n"
    for mend in ALL:
        result = mend(comment + source)
        assert result is None or comment.strip() in result.source


HOSTILE = (
    "{",
    "{}",
    "$",
    "\\[",
    "\\begin{align}",
    "{\n\n",
    "&",
    "#",
    "$$\\tag{1}",
    "\\text{",
    "\\begin{axis}[\n\n]\\end{axis}",
    "\\begin{",
    "\\end{a}",
    "\\left(\\\\",
    "\\",
    "\n",
    " ",
    "[",
    "\\verb|",
)


@pytest.mark.slow
@pytest.mark.parametrize("part", HOSTILE)
def test_a_megabyte_of_anything_is_read_in_seconds(part: str) -> None:
    source = part * (1_000_000 // len(part))
    before = time.process_time()
    for mend in ALL:
        result = mend(source)
        assert result is None or len(result.source) < 3 * len(source)
    assert time.process_time() - before < 20


def test_more_delimiters_than_a_document_has_are_not_mended() -> None:
    assert unnested(r"\[ $a$ \]" * (MAX_TOKENS // 4 + 1)) is None
    assert closed("{" * (MAX_TOKENS + 1)) is None
