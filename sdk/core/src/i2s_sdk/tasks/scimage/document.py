"""What is sent to a renderer: a Python program, or a LaTeX document with the TikZ code."""

from __future__ import annotations

import re

from i2s_sdk.tasks.chart.document import ChartProgram
from i2s_sdk.tasks.scimage.tikz import TikzDocument

#: A program for render-python, or a document for render-latex.
ScimageDocument = ChartProgram | TikzDocument

PYTHON, TIKZ = "python", "tikz"
OUTPUTS = (PYTHON, TIKZ)
_TEX = re.compile(r"\\(?:documentclass|begin\s*\{(?:document|tikzpicture)\}|tikz\b|usetikzlibrary)")
#: Nothing but comments of TeX before a command: no program in Python begins like that.
_COMMAND_FIRST = re.compile(r"(?:\s|%[^\n]*\n)*\\[a-zA-Z]")
_IMPORT = re.compile(r"^[ \t]*(?:import[ \t]+\w+|from[ \t]+[\w.]+[ \t]+import\b)", re.MULTILINE)


def output_of(code: str) -> str:
    """Return what code is: TIKZ if it begins with a command of TeX, or imports nothing and has one of TikZ.

    A program in Python may have commands of TikZ in its texts and comments.
    """
    if _COMMAND_FIRST.match(code):
        return TIKZ
    return TIKZ if _TEX.search(code) and not _IMPORT.search(code) else PYTHON
