from hypothesis import given
from hypothesis import strategies as st

from i2s_sdk.tasks.latex.helm_document import helm_document
from i2s_sdk.tasks.latex.preamble import preamble
from i2s_wire.metrics.profile import Profile

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
