r"""How the public leaderboard made a document of a model's answer, bug for bug.

Everything here is plain replacement in the text of the answer, comments and verbatim text included. The
blank lines that it leaves behind are kept: they cannot be seen, but sources are compared byte for byte.

Source: fidelity vectors of HELM v1.0.x.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from i2s_sdk.tasks.latex.document import LatexDocument
from i2s_sdk.tasks.latex.line_arguments import LineArguments, first, without
from i2s_sdk.tasks.latex.numbering import NUMBERED
from i2s_sdk.tasks.latex.preamble import DOCUMENT_CLASS, preamble
from i2s_sdk.tasks.latex.strip import strip_latex
from i2s_wire.metrics.profile import Profile

BEGIN, END = r"\begin{document}", r"\end{document}"

_LABEL = re.compile(r"\\label(?=\{)")
_AFTER_LABEL = re.compile(r"[\t ]*\n?")
_CLASS = re.compile(r"\\documentclass(?=[\[{])")
_STYLE = re.compile(r"\\documentstyle(?=[\[{])")
_PACKAGE = re.compile(r"\\usepackage(?=[\[{])")


@dataclass(frozen=True)
class HelmDocument(LatexDocument):
    """A document of profile ``helm``; its text is its only state, repairs rewrite all of it."""

    document: str

    @property
    def source(self) -> str:
        """The text that the engine reads."""
        return self.document

    @property
    def text(self) -> str:
        """The document without preamble, comments kept."""
        return strip_latex(self.document)


def helm_document(code: str) -> HelmDocument:
    """Return the document of some LaTeX code, be it a fragment, a document, or one made here before."""
    return HelmDocument(_with_preamble(_with_delimiters(_without_numbers(code))))


def _without_numbers(code: str) -> str:
    for name in NUMBERED:
        code = code.replace(f"{{{name}}}", f"{{{name}*}}")
    return without(_LABEL, _label, code)


def _label(read: LineArguments, position: int) -> int | None:
    """Return the end of the name of a label and of the line, if nothing else follows on it."""
    end = read.name(position)
    return None if end is None else read.after(_AFTER_LABEL, end)


def _with_delimiters(code: str) -> str:
    # A document of class article counts as begun even where it is not.
    if BEGIN not in code and DOCUMENT_CLASS not in code:
        code = BEGIN + code
    return code if END in code else code + END


def _with_preamble(code: str) -> str:
    own_class = first(_CLASS, code) or first(_STYLE, code)
    code = code.replace(own_class, DOCUMENT_CLASS) if own_class else f"{DOCUMENT_CLASS}\n\n{code}"
    # What follows a package on its line goes with it, up to the last brace.
    bare = without(_PACKAGE, LineArguments.option_and_rest, code)
    return bare.replace(DOCUMENT_CLASS, preamble(Profile.HELM) + "\n")
