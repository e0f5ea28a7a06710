r"""The repairs of profile ``helm``, bug for bug: they look for phrases in the message of the engine.

Source: fidelity vectors of HELM v1.0.x.
"""

from __future__ import annotations

import re

from i2s_sdk.tasks.latex.helm_document import BEGIN, END, HelmDocument, helm_document
from i2s_sdk.tasks.latex.preamble import DOCUMENT_CLASS
from i2s_sdk.tasks.repair import Repair, Repaired, RepairKind
from i2s_wire.render.source_error import SourceError

#: The most repairs of one document.
MAX_REPAIRS = 3

#: Errors that are held to be the fault of the model and end the attempts.
HOPELESS = (
    "Undefined control sequence",
    r"LaTeX Error: Lonely \item--perhaps a missing list environment.",
    "Missing } inserted",
    "Missing { inserted",
    "Double subscript.",
    "LaTeX Error: Not in outer par mode.",
    r"Extra alignment tab has been changed to \cr.",
    "Missing \\",
    r"LaTeX Error: \begin{",
    r"Misplaced \noalign",
    " already defined.",
)

_NO_MATH = ("Missing $ inserted", " allowed only in math mode")
_NO_ENVIRONMENT = re.compile(r"LaTeX Error: Environment (.*) undefined")


def repair(document: HelmDocument, error: SourceError) -> Repaired[HelmDocument] | None:
    r"""Return the document after the repairs that an error calls for, or None if there are none.

    Maths outside of math mode wraps all that stands between the delimiters of the document in ``$$``, as
    often as it is reported. An undefined environment loads the package of its name, which making the
    document removes again, unless the fixed preamble has a package of that name: then it ends the attempts.
    """
    message = error.message.replace("\n", "")
    if any(phrase in message for phrase in HOPELESS):
        return None
    code, done = document.source, None
    if any(phrase in message for phrase in _NO_MATH):
        code, done = _in_dollars(code), Repair(RepairKind.WRAP_MATH, "$$", error.message)
    undefined = _NO_ENVIRONMENT.search(message)
    if undefined:
        line = rf"\usepackage{{{undefined[1]}}}"
        if line in code:
            return None
        code = code.replace(DOCUMENT_CLASS, f"{DOCUMENT_CLASS}\n{line}\n")
        done = Repair(RepairKind.ADD_NAMESAKE, undefined[1], error.message)
    if done is None or code == document.source:
        return None
    return Repaired(helm_document(code), done)


def _in_dollars(code: str) -> str:
    parts: list[str] = []
    position = 0
    while (begin := code.find(BEGIN, position)) >= 0:
        body = begin + len(BEGIN)
        end = code.find(END, body)
        if end < 0:
            break
        parts += [code[position:body], "$$", code[body:end], "$$", END]
        position = end + len(END)
    return "".join([*parts, code[position:]])
