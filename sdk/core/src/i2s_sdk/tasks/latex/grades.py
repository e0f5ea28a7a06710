r"""Graded answers of the LaTeX task.

Tokens are words, numbers, operators and commands of one symbol, outside of arguments that are no text; in
drawings whole statements are left out, and in algorithms whole lines.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

from i2s_sdk.instances.instance import Content
from i2s_sdk.tasks.graded import (
    FEWEST_TOKENS,
    FONT,
    REFLOW,
    SIZE,
    SPELLING,
    Grade,
    Rung,
    Spans,
    equivalent,
    rungs,
    spans_of,
    with_structure,
    without_tokens,
)
from i2s_sdk.text.tex_tokens import SYNONYMS

_SYMBOLS = (
    r"\\(?:alpha|beta|gamma|delta|theta|lambda|mu|pi|rho|sigma|phi|psi|omega|leq?|geq?|neq?|approx|equiv|sim"
    r"|sum|prod|int|cup|cap|oplus|otimes|times|cdot|pm|to|mapsto|infty|partial|nabla)(?![A-Za-z])"
)
_TOKEN = re.compile(_SYMBOLS + r"|(?<![\\A-Za-z])[A-Za-z]+|\d+(?:\.\d+)?|[+=<>]")
#: A token, with the mark and the braces of a script that it is all of.
_SCRIPT_OR_TOKEN = re.compile(rf"[_^]\s*(?:\{{[^{{}}]*\}}|\\[A-Za-z]+|[^\s\\{{}}])|{_TOKEN.pattern}")
_PROTECTED = re.compile(
    r"(?<!\\)%[^\n]*"
    r"|\\begin\s*\{(?:tabular\*?|array|tabularx)\}\s*(?:\[[^\]]*\])?\s*(?:\{[^{}]*\})?\{(?:[^{}]|\{[^{}]*\})*\}"
    r"|\\(?:begin|end)\s*\{[^{}]*\}\s*(?:\[(?:[^\[\]{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\])?"
    r"|\\(?:label|ref|eqref|cite|vspace|hspace|setlength|addtolength|cmidrule(?:\([^)]*\))?|cline|rule|color"
    r"|textcolor|multicolumn\s*\{\d+\}|multirow\s*\{\d+\}|usetikzlibrary|pgfplotsset|tikzset|definecolor"
    r"|renewcommand|newcommand|caption\*?\[[^\]]*\])\*?\s*(?:\[[^\]]*\])?\s*\{[^{}]*\}"
    r"|\\[A-Za-z]+\*?\s*\[[^\]]*\]"
    r"|\\\\\s*\[[^\]]*\]"
)
_DRAWING = re.compile(r"\\begin\{tikzpicture\}(?P<body>.*?)\\end\{tikzpicture\}", re.DOTALL)
#: A statement of a drawing, as far as it is not an option.
_STATEMENT = re.compile(
    r"\\(?:draw|path|node|fill|filldraw|addplot\+?|addlegendentry|shade|coordinate)\b[^;]*;"
)
#: A line of an algorithm that no other line needs.
_LINE = re.compile(r"\\(?:State|Statex|Require|Ensure)\b[^\n]*")
_NODE_TEXT = re.compile(r"\{([^{};]*[A-Za-z0-9][^{};]*)\}\s*;|\(\s*[\d.]+\s*,\s*[\d.]+\s*\)")


def _tokens(text: str) -> Spans:
    drawing = _DRAWING.search(text)
    if drawing is None:
        return spans_of(_TOKEN, text, _PROTECTED.finditer(text))
    inner = list(_NODE_TEXT.finditer(text, *drawing.span("body")))
    tokens = (token for match in inner for token in _TOKEN.finditer(text, match.start(), match.end()))
    return [token.span() for token in tokens if token.group().isalnum()]


def _missing(text: str) -> Spans:
    drawing = _DRAWING.search(text)
    if drawing is None and r"\begin{algorithmic}" in text:
        return [match.span() for match in _LINE.finditer(text)]
    if drawing is None:
        return spans_of(_SCRIPT_OR_TOKEN, text, _PROTECTED.finditer(text))
    return [match.span() for match in _STATEMENT.finditer(text, *drawing.span("body"))]


def _fewest(text: str) -> int:
    """Return how many of what may be missing are missing at least; statements and lines have many tokens."""
    return 1 if _DRAWING.search(text) or r"\begin{algorithmic}" in text else FEWEST_TOKENS


def _in_another_size(text: str) -> str | None:
    """Return a document in the next size of letters, or a drawing that is a fifth larger."""
    if r"\begin{tikzcd}" in text:
        return None
    if _DRAWING.search(text):
        enlarged = text.replace(r"\begin{tikzpicture}", r"\scalebox{1.2}{\begin{tikzpicture}")
        return enlarged.replace(r"\end{tikzpicture}", r"\end{tikzpicture}}")
    return r"\let\normalsize\large\normalsize" + "\n" + text


_SCRIPT = re.compile(r"(?<!\\)([_^])([A-Za-z0-9])")
_FRACTION = re.compile(r"\\frac\{([^{}\\]*)\}\{([^{}\\]*)\}")


def _in_another_spelling(text: str) -> str | None:
    r"""Return the source of the same image: synonyms, braces of scripts, ``\over``."""
    if _DRAWING.search(text):
        return None
    for name, other in SYNONYMS.items():
        if name[1:].isalpha() and other[1:].isalpha():
            text = re.sub(re.escape(name) + r"(?![A-Za-z])", other.replace("\\", r"\\"), text)
    protected = [match.span() for match in _PROTECTED.finditer(text)]

    def braced(match: re.Match[str]) -> str:
        inside = any(start <= match.start() < end for start, end in protected)
        return match.group() if inside else f"{match[1]}{{{match[2]}}}"

    return _FRACTION.sub(r"{\1 \\over \2}", _SCRIPT.sub(braced, text))


def _in_another_width(text: str) -> str | None:
    if not re.search(r"\\begin\{algorithm|[A-Za-z]{3,} [a-z]{2,} [a-z]{2,} [a-z]{2,}", text):
        return None
    lengths = r"\linewidth=\textwidth\hsize=\textwidth\columnwidth=\textwidth"
    return rf"\setlength{{\textwidth}}{{0.8\textwidth}}{lengths}" + "\n" + text


def _in_another_font(text: str) -> str | None:
    if not re.search(r"\\begin\{(?:algorithm|tabular)|\\text\{", text):
        return None
    return r"\renewcommand{\familydefault}{\sfdefault}\normalfont" + "\n" + text


_OPENS = re.compile(r"\\(?:For|ForAll|While|If|Loop|Procedure|Function|Repeat)\b")
_CLOSES = re.compile(r"\\(?:End(?:For|While|If|Loop|Procedure|Function)|Until)\b")
#: Commands that draw words, about as many letters as their names have.
_WORDS = re.compile(rf"{_OPENS.pattern}|{_CLOSES.pattern}|\\(?:Else|ElsIf|Require|Ensure|Return)\b")
_NEXT_LINE = re.compile(rf"\n(?=\s*(?:{_WORDS.pattern}|\\Statex?\b))")
_BODY = re.compile(
    r"(?<=\\begin\{algorithmic\})(?P<options>\[\d+\])?(?P<body>.*?)(?=\\end\{algorithmic\})", re.DOTALL
)


def _drawn_length(text: str) -> int:
    """Return about how many characters of an algorithm are drawn."""
    words = sum(len(match.group()) - 1 for match in _WORDS.finditer(text))
    return words + sum(1 if text[start] == "\\" else end - start for start, end in _tokens(text))


def _first_half_of_algorithm(text: str) -> str | None:
    """Return an algorithm with its first lines, so many that about half of its characters are left.

    The caption counts, and so do the words of the lines that close what is open after those lines.
    """
    inside = sum(_drawn_length(match["body"]) for match in _BODY.finditer(text))
    share = 1 - _drawn_length(text) / 2 / inside if inside else 0.0

    def half(match: re.Match[str]) -> str:
        lines = _NEXT_LINE.split(match["body"].strip("\n"))
        wanted = share * _drawn_length(match["body"])
        bodies = ["\n".join(_closed(lines[:kept])) for kept in range(1, len(lines))]
        if not bodies:
            return match.group()
        nearest = min(bodies, key=lambda body: abs(_drawn_length(body) - wanted))
        return f"{match['options'] or ''}\n{nearest}\n"

    return _BODY.sub(half, text)


def _closed(lines: Sequence[str]) -> list[str]:
    """Return lines of an algorithm, and those that close the blocks that are open after them."""
    opened: list[str] = []
    for line in lines:
        if _CLOSES.search(line) and opened:
            opened.pop()
        elif begun := _OPENS.search(line):
            opened.append(begun.group()[1:])
    ends = (
        "\\Until{}" if name == "Repeat" else f"\\End{name.removesuffix('All')}" for name in reversed(opened)
    )
    return [*lines, *ends]


def _half_missing(content: Content, chance: Random) -> Content | None:
    text = content.structure or ""
    if r"\begin{algorithmic}" in text:
        return with_structure(content, _first_half_of_algorithm(text))
    return with_structure(content, without_tokens(text, _missing(text), 0.5, chance, _fewest(text)))


GRADES = (
    *(
        grade
        for grade in rungs(_tokens, missing=_missing, fewest=_fewest)
        if grade.rung is not Rung.HALF_MISSING
    ),
    Grade(Rung.HALF_MISSING, Rung.HALF_MISSING, _half_missing),
    equivalent(SIZE, _in_another_size),
    equivalent(SPELLING, _in_another_spelling),
    equivalent(REFLOW, _in_another_width),
    equivalent(FONT, _in_another_font),
)
