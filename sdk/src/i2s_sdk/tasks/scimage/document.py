"""What is sent to a renderer: a Python program, or a LaTeX document with the TikZ code."""

from __future__ import annotations

import re

from i2s_sdk.tasks.chart.document import ChartProgram
from i2s_sdk.tasks.latex import LatexDocument

#: A program for render-python, or a document for render-latex.
ScimageDocument = ChartProgram | LatexDocument

PYTHON, TIKZ = "python", "tikz"
OUTPUTS = (PYTHON, TIKZ)
_TEX = re.compile(r"\\(?:documentclass|begin\s*\{(?:document|tikzpicture)\}|tikz\b|usetikzlibrary)")


def output_of(code: str) -> str:
    """Return what code is: TIKZ if it has a command that only TeX has, else PYTHON."""
    return TIKZ if _TEX.search(code) else PYTHON
