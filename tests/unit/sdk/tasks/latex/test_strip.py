import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_sdk.tasks.latex.strip import strip_latex


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
