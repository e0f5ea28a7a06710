"""Extracts the LaTeX code of an answer."""

from __future__ import annotations

import re
from collections.abc import Sequence

from i2s_sdk.reading import CodeRules, is_refusal
from i2s_sdk.tasks.answer_reading import code_structure
from i2s_sdk.tasks.helm_fence import helm_fenced
from i2s_sdk.tasks.latex.stretch import without_prose
from i2s_sdk.tasks.latex.tex_source import code_only, commands, cut
from i2s_sdk.tasks.structure import NoStructure, Structure
from i2s_wire.metrics.profile import Profile

#: Commands of preambles by number of arguments: a block of nothing else draws nothing.
_PREAMBLE = {
    "documentclass": 1,
    "usepackage": 1,
    "RequirePackage": 1,
    "usetikzlibrary": 1,
    "usepgfplotslibrary": 1,
    "usepgflibrary": 1,
    "pgfplotsset": 1,
    "tikzset": 1,
    "newcommand": 2,
    "renewcommand": 2,
    "providecommand": 2,
    "DeclareMathOperator": 2,
    "DeclarePairedDelimiter": 3,
    "definecolor": 3,
    "newtheorem": 2,
    "setlength": 2,
    "pagestyle": 1,
    "geometry": 1,
}
_CLASS, _DOCUMENT = r"\documentclass", r"\begin{document}"
_CONTROL_SEQUENCE = re.compile(r"\\[A-Za-z\[(]")
#: Marks that stand in prose too, as in "R&D", "main_window", "A -> B" and "$5".
_WEAK = re.compile(r"(?<=\w)_(?=\w)|[&<>+|~=]|\$(?=\d)(?![^$]*\$)")
_WORDS_IN_A_ROW = re.compile(r"(?:[^\W\d_]+[,;:]?[ ]){5}")
_MATHEMATICAL = re.compile(r"[\\$^_={}&<>+|~±×÷∂∇√∞∫∑∏≤≥≠≈∈⊂→←⇒\u0370-\u03ff\u2070-\u209f\u2200-\u22ff]")


def _has_body(code: str) -> bool:
    text = code_only(code)
    return _DOCUMENT in text or bool(cut(text, list(commands(text, _PREAMBLE))).strip())


def _program(blocks: Sequence[str]) -> tuple[int, ...]:
    """Return the last block with a body, and unless it is a whole document, the preambles before it."""
    bodies = [number for number, block in enumerate(blocks) if _has_body(block)]
    last = bodies[-1] if bodies else len(blocks) - 1
    if _DOCUMENT in blocks[last] and _CLASS in blocks[last]:
        return (last,)
    return (*(number for number in range(last) if number not in bodies), last)


def _is_code(text: str) -> bool:
    """Return whether a text has a control sequence, or a mathematical character and is no refusal.

    In a text with five words in a row the marks that stand in prose too do not count.
    """
    if _CONTROL_SEQUENCE.search(text):
        return True
    if _WORDS_IN_A_ROW.search(text):
        text = _WEAK.sub("", text)
    return _MATHEMATICAL.search(text) is not None and not is_refusal(text)


RULES = CodeRules(
    "LaTeX",
    frozenset(
        {
            "latex",
            "tex",
            "pdflatex",
            "xelatex",
            "lualatex",
            "latex2e",
            "tikz",
            "pgf",
            "pgfplots",
            "circuitikz",
            "tikzpicture",
        }
    ),
    _has_body,
    _program,
    _is_code,
    without_prose,
)


def extract(text: str, profile: Profile) -> Structure | NoStructure:
    """Return the LaTeX code of an answer, which is trimmed first.

    ``paper`` takes the last complete block of the language that has a body, with the blocks before it that
    only load packages, and closes a fence that a truncated answer left open; without a fence the answer is
    the code, without prose around it, unless it is prose: text without a control sequence and without a
    mathematical character.

    ``helm`` takes what stands between the first "```latex" and the next "```", else between the first two
    "```", else the whole completion. It always has a structure, if an empty one.

    Args:
        text: Answer without reasoning; of ``helm`` the completion.
        profile: Profile whose rules are followed.
    """
    if profile is Profile.HELM:
        return Structure(*helm_fenced(text, "```latex"))
    return code_structure(text, RULES)
