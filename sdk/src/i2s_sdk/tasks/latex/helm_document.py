r"""How the public leaderboard made a document of a model's answer, bug for bug.

Everything here is plain replacement in the text of the answer, comments and verbatim text included. The
blank lines that it leaves behind are kept: they cannot be seen, but sources are compared byte for byte.

Source: fidelity vectors of HELM v1.0.x.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from i2s_sdk.profile import Profile
from i2s_sdk.tasks.latex.document import LatexDocument
from i2s_sdk.tasks.latex.numbering import NUMBERED
from i2s_sdk.tasks.latex.preamble import DOCUMENT_CLASS, preamble
from i2s_sdk.tasks.latex.strip import strip_latex

BEGIN, END = r"\begin{document}", r"\end{document}"

_LABEL = re.compile(r"\\label\{[^\n]*?\}[\t ]*\n?")
_CLASS = re.compile(r"\\documentclass(?:\[[^\n]*?\])?\{[^\n]*?\}")
_STYLE = re.compile(r"\\documentstyle(?:\[[^\n]*?\])?\{[^\n]*?\}")
# Greedy: what follows a package on its line goes with it, up to the last brace.
_PACKAGE = re.compile(r"\\usepackage(?:\[[^\n]*?\])?\{[^\n]*\}")


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
    return _LABEL.sub("", code)


def _with_delimiters(code: str) -> str:
    # A document of class article counts as begun even where it is not.
    if BEGIN not in code and DOCUMENT_CLASS not in code:
        code = BEGIN + code
    return code if END in code else code + END


def _with_preamble(code: str) -> str:
    own_class = _CLASS.search(code) or _STYLE.search(code)
    code = code.replace(own_class.group(), DOCUMENT_CLASS) if own_class else f"{DOCUMENT_CLASS}\n\n{code}"
    return _PACKAGE.sub("", code).replace(DOCUMENT_CLASS, preamble(Profile.HELM) + "\n")
