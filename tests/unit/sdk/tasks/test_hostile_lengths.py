"""Reading an answer costs in proportion to its length, whatever it is made of.

Each text here is a part repeated until it has LENGTH characters. Work that grows with the square of it takes
minutes for it; what is allowed is far more than twenty times what the work takes.
"""

import time

import pytest

from i2s_sdk.tasks import Structure
from i2s_sdk.tasks.latex import LatexTask
from i2s_sdk.tasks.latex.helm import _in_dollars, strip_latex
from i2s_sdk.tasks.latex.paper_document import defined_names
from i2s_wire.metrics.profile import Profile

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
]
NESTED = [(r"\label{", "}"), (r"\DeclareMathOperator{", "}"), (r"\usepackage[", "]"), ("{", "}")]


def filled(part: str) -> str:
    return part * (LENGTH // len(part))


def texts() -> list:
    nested = [opening * (LENGTH // 16) + closing * (LENGTH // 16) for opening, closing in NESTED]
    spaced = [r"\newcommand" + " " * LENGTH + "x", "```" + " " * LENGTH + "$", "```a =" + " " * LENGTH + "`"]
    return [pytest.param(text, id=repr(text[:16])) for text in [*map(filled, CODE), *nested, *spaced]]


@pytest.mark.parametrize("text", texts())
def test_the_work_does_not_grow_with_the_square_of_the_length(text: str) -> None:
    started = time.process_time()
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
    assert time.process_time() - started < ALLOWED_CPU_SECONDS
