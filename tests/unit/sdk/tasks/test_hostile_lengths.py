"""Reading an answer costs in proportion to its length, whatever it is made of.

Each text here is a part repeated until it has LENGTH characters. Work that grows with the square of it takes
minutes for it; what is allowed is far more than twenty times what the work takes.
"""

from collections.abc import Callable

import pytest

from i2s_sdk.tasks import Structure
from i2s_sdk.tasks.latex import LatexTask
from i2s_sdk.tasks.latex.helm import _in_dollars, strip_latex
from i2s_sdk.tasks.latex.paper_document import defined_names
from i2s_wire.metrics.profile import Profile
from linear_time import assert_linear

pytestmark = pytest.mark.slow

LENGTH = 120_000
ALLOWED_CPU_SECONDS = 15.0

CODE = [
    r"\label{",
    r"\label{a} ",
    "\\label{a}\n",
    r"\label",
    r"\usepackage{",
    r"\usepackage[",
    r"\usepackage[]{",
    r"\usepackage[a]{b}",
    r"\usepackage{]{",
    r"\DeclareMathOperator{",
    r"\DeclareMathOperator{a}[",
    r"\DeclarePairedDelimiter{a}[]",
    r"\begin{",
    r"\begin{a}[",
    r"\end{",
    "\\end{a}\n",
    r"\begin{document}",
    r"\begin{equation}",
    r"\begin{array}{a",
    r"\begin{verbatim}",
    r"\verb|",
    r"\newcommand ",
    r"\newtheorem{a ",
    "{",
    "}",
    "[",
    "\\",
    "%",
    "%\n",
    "\n",
    " ",
    "\t\n",
    "$",
    "a",
]
NESTED = [(r"\label{", "}"), (r"\DeclareMathOperator{", "}"), (r"\usepackage[", "]"), ("{", "}")]


def texts() -> list:
    """Return what makes a text of about a length."""

    def nested(opening: str, closing: str):
        return lambda length: opening * (length // 16) + closing * (length // 16)

    def repeated(part: str):
        return lambda length: part * (length // len(part))

    def spaced(before: str, after: str):
        return lambda length: before + " " * length + after

    made = [
        *map(repeated, CODE),
        *(nested(*pair) for pair in NESTED),
        *(spaced(*pair) for pair in ((r"\newcommand", "x"), ("```", "$"), ("```a =", "`"))),
    ]
    return [pytest.param(one, id=repr(one(LENGTH)[:16])) for one in made]


@pytest.mark.parametrize("text_of", texts())
def test_the_work_does_not_grow_with_the_square_of_the_length(text_of: Callable[[int], str]) -> None:
    assert_linear(lambda length: read(text_of(length)), LENGTH, ALLOWED_CPU_SECONDS)


def read(text: str) -> None:
    for profile in Profile:
        task = LatexTask(profile)
        structure = task.structure_from(text)
        if isinstance(structure, Structure):
            document = task.document(structure)
            assert len(document.source) > 0
            assert document.text is not None
    strip_latex(text)
    defined_names(text)
    _in_dollars(text)
