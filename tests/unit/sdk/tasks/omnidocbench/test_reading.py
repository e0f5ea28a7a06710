"""The blocks of a prediction and their forms, in both profiles."""

import pytest

from i2s_sdk.tasks.omnidocbench.blocks import PredictedKind, latex_as_text
from i2s_sdk.tasks.omnidocbench.reading import OWN
from i2s_sdk.tasks.omnidocbench.released import RELEASED

TEXT, FORMULA, INLINE = PredictedKind.TEXT, PredictedKind.FORMULA, PredictedKind.INLINE
HTML, LATEX = PredictedKind.HTML_TABLE, PredictedKind.LATEX_TABLE
BOTH = pytest.mark.parametrize("rules", [OWN, RELEASED], ids=["paper", "reference"])


def blocks(rules, text):
    return [(one.kind, one.content) for one in sorted(rules.read(text), key=lambda one: one.place)]


@BOTH
def test_empty_lines_divide_paragraphs(rules):
    assert blocks(rules, "one\ntwo\n\nthree") == [(TEXT, "one\ntwo"), (TEXT, "three")]


@BOTH
@pytest.mark.parametrize("formula", ["$$\na = b\n$$", "\\[\na = b\n\\]"])
def test_displayed_formulas_divide_texts(rules, formula):
    found = blocks(rules, f"before\n\n{formula}\n\nafter")
    assert found == [(TEXT, "before"), (FORMULA, "a = b"), (TEXT, "after")]


@BOTH
def test_formulas_within_a_text_stay_in_it_and_are_blocks_as_well(rules):
    found = blocks(rules, "with $x^2$ and \\(y\\) in it")
    assert found == [(TEXT, "with $x^2$ and \\(y\\) in it"), (INLINE, "x^2"), (INLINE, "y")]


@BOTH
def test_tables_in_all_three_forms(rules):
    latex = "\\begin{tabular}{l}x\\end{tabular}"
    html = "<table><tr><td><table></table></td></tr></table>"
    pipes = "| a | b |\n|---|---|\n| 1 | 2 |"
    found = blocks(rules, f"{latex}\n\n{html}\n\n{pipes}")
    cells = "<table><tr><td>a</td><td>b</td></tr><tr><td>1</td><td>2</td></tr></table>"
    assert found == [(LATEX, latex), (HTML, html), (HTML, cells)]


@BOTH
def test_images_are_left_out_and_unclosed_things_are_text(rules):
    text = "text <table> \\begin{tabular} \\[ $"
    assert blocks(rules, f"![a](b) {text}") == [(TEXT, text)]


def test_paper_keeps_code_whole_and_reads_nothing_in_it():
    code = "```python\nprice = '$5$'\n\n| a |\n|---|\n```"
    assert blocks(OWN, f"one\n{code}\ntwo") == [
        (TEXT, "one"), (TEXT, "price = '$5$'\n\n| a |\n|---|"), (TEXT, "two"),
    ]  # fmt: skip


def test_paper_takes_prices_for_text_and_headings_for_paragraphs():
    assert blocks(OWN, "# One\nfrom $5 to $6 or $ 7") == [(TEXT, "# One"), (TEXT, "from $5 to $6 or $ 7")]


def test_paper_reads_environments_and_bars_that_are_escaped():
    found = blocks(OWN, "\\begin{align*}\na &= b\n\\end{align*}\n\na \\| b | c\n--|--\n1|2|3")
    cells = "<table><tr><td>a | b</td><td>c</td></tr><tr><td>1</td><td>2</td></tr></table>"
    assert found == [(FORMULA, "\\begin{align*}\na &= b\n\\end{align*}"), (HTML, cells)]


def test_paper_divides_nothing_at_a_row_without_a_rule():
    assert blocks(OWN, "| a | b |\n| c | d |\n\n") == [(TEXT, "| a | b |"), (TEXT, "| c | d |")]


@BOTH
def test_lines_are_paragraphs_if_no_line_is_empty(rules):
    assert blocks(rules, "one\ntwo") == [(TEXT, "one"), (TEXT, "two")]


def test_paper_leaves_comments_out():
    assert blocks(OWN, "one\n\n<!-- a picture -->\n\ntwo") == [(TEXT, "one"), (TEXT, "two")]


def test_reference_makes_tables_of_lines_in_bars_without_those_of_dashes():
    found = blocks(RELEASED, "| a | b |\n| --- | :- |\n| c | d |")
    assert found == [(HTML, "<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>")]


def test_reference_takes_dollars_over_lines_for_a_formula():
    assert (INLINE, "5\n\nand") in [
        (kind, text.replace("  ", "\n\n")) for kind, text in blocks(RELEASED, "from $5\n\nand$ on")
    ]


def test_reference_keeps_letters_and_digits_alone():
    assert RELEASED.text_form("**Text**, with $x^2$; $\\alpha$ is -3.5 and/to C++") == "Textwithx2αis35andoC"


def test_paper_keeps_signs_and_words_and_drops_marks():
    form = OWN.text_form("# **Text**, with $x^2$; “$\\alpha$” is −3.5 and/to C++, a_b, <b>x</b> &amp; 中，文")
    assert form == 'Text, with x^2; "α" is -3.5 and/to C++, a_b, x &中,文'


def test_forms_of_formulas():
    latex = "\\[ \\mathrm{Pr}\\left( X \\right) \\quad \\tag{3} \\]"
    assert RELEASED.formula_form(latex) == "{pr}(x)"
    assert OWN.formula_form(latex) == "\\mathrm{Pr}(X)"
    assert OWN.matched_form("\\frac{a}{b}") == OWN.text_form("a/b")


def test_a_formula_that_is_too_long_or_deep_stays_latex():
    for formula in ("x^" + "{" * 900, "\\alpha" * 400):
        assert RELEASED.text_form(f"${formula}$")
        assert OWN.text_form(f"${formula}$")


def test_a_formula_of_more_than_a_thousand_characters_is_not_converted():
    assert latex_as_text("\\alpha") == "α"
    assert latex_as_text("\\alpha" + " " * 994) is not None
    assert latex_as_text("\\alpha" + " " * 995) is None


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("_a_", "a"), ("__a__ b", "a b"), ("a_b", "a_b"), ("a__b", "a__b"), ("a_ b", "a b"),
        ("a___ b", "a b"),
        ("_", "_"), ("__", ""), ("x ___ y", "x y"), (r"\_a", "_a"), (r"\___ a", "_ a"), (r"\___a", "___a"),
    ],
)  # fmt: skip
def test_underscores_beside_words_are_marks(text: str, form: str) -> None:
    assert OWN.text_form(text) == form
