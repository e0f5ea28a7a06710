"""Reads the LaTeX code of an answer: of its blocks, or of prose without a fence."""

from __future__ import annotations

import re
from collections.abc import Sequence

from i2s_sdk.reading import CodeRules, is_refusal
from i2s_sdk.tasks.answer_reading import code_structure, helm_fenced
from i2s_sdk.tasks.latex.tex_source import code_only, code_spans, commands, cut, without_comments
from i2s_sdk.tasks.structure import NoStructure, Structure
from i2s_wire.metrics.profile import Profile

_DOCUMENT = re.compile(r"\\documentclass\b.*\\end\{document\}", re.DOTALL)
_MARK = re.compile(
    r"\\begin\{(?P<begin>[^{}\n]{1,40})\}|\\end\{(?P<end>[^{}\n]{1,40})\}|\\\[|\\\]|\$\$|\\.", re.DOTALL
)
#: What no prose has, what prose has less often than words and not beside code, and what all prose has.
_CODE = re.compile(r"[\\$^{}]")
_SIGNS = ("=", "<", ">", "+", "&")
_WORD = re.compile(r"[^\W\d_]{2,}|[\u3040-\u9fff]")
#: Code within prose: mathematics in a line; code in a line, names of TeX, a package that is to be loaded.
_MATHS = re.compile(r"\$[^$\n]+\$|\\\((?:[^\\\n]|\\[^()\n])*+\\\)")
_INLINE = re.compile(
    rf"{_MATHS.pattern}|`[^`\n]+`|\\(?:La)?TeX\b(?:\{{\}})?"
    r"|(?<=\w )\\usepackage(?:\[[^][\n]*\])?\{[^{}\n]*\}"
)
#: Words of an announcement, and the end of a sentence.
_ANNOUNCES = re.compile(
    r"\b(?:la)?tex\b|\bcode\b|\b(?:image|picture|formula|expression)s?\b|代码|公式", re.IGNORECASE
)
_MARKS = " \t\r\n.:*"
_ENDS = re.compile(r"[.:!?。：！？][\s*]*\Z")
_ANNOUNCED = re.compile(r"[^\\$^{}\n]{0,300}[:：]\s*(?P<code>\$[^$]+\$|\\\(.+\\\))[\s.]*\Z", re.DOTALL)
_LABELLED = re.compile(
    r"[^\\$^{}\n]{0,300}(?:\b(?:la)?tex\b|\bcode\b|代码)[^\\$^{}\n]{0,300}[:：]\s*\n(?P<code>.*)\Z",
    re.IGNORECASE | re.DOTALL,
)
_SPAN = re.compile(r"`(?P<code>[^`\n]+)`")


def without_prose(text: str) -> str:
    r"""Return the one stretch of an answer that is code, if all else is prose, else the whole answer.

    Stretches are a whole document, a display ($$…$$ or \[…\]), an environment, and code in backticks; behind
    words that announce it, also a formula in a line and the rest of the answer. Prose has words, and neither
    a backslash nor a sign of TeX, but in mathematics or code within a line. A sentence with mathematics that
    runs through a display is no prose.

    Args:
        text: Answer without fences.
    """
    document = _DOCUMENT.search(text)
    if document:
        before = without_comments(text[: document.start()])
        return document[0] if before.strip() and _is_prose(before) else text
    spans = list(_SPAN.finditer(text))
    stretches = _displays(_SPAN.sub(lambda span: " " * len(span[0]), text))
    if len(stretches) == 1:
        start, end = stretches[0]
        before, after = text[:start], text[end:]
        return text[start:end] if _is_prose(before, after) and not _runs_on(before, after) else text
    if stretches:
        return text
    if len(spans) == 1:
        before, after = text[: spans[0].start()], text[spans[0].end() :]
        if _is_prose(before, after) and not _MATHS.search(before + after):
            return spans[0]["code"].strip()
    announced = _ANNOUNCED.match(text) or _LABELLED.match(text)
    return announced["code"].strip() if announced else text


def _is_prose(before: str, after: str = "") -> bool:
    """Return whether the texts before and after code are prose, or a mark at most."""
    for text in (before, after):
        plain = _INLINE.sub(" ", text)
        words = len(_WORD.findall(plain))
        if text.strip(_MARKS) and (not words or words < sum(map(plain.count, _SIGNS)) or _CODE.search(plain)):
            return False
    return not before.rstrip().endswith(_SIGNS) and not after.lstrip().startswith(_SIGNS)


def _runs_on(before: str, after: str) -> bool:
    """Return whether a sentence with mathematics begins before a display, so that it belongs to the text."""
    if not before.strip(_MARKS) or _ANNOUNCES.search(before):
        return False
    return any(map(_MATHS.search, (before, "" if _ENDS.search(before) else after)))


def _displays(text: str) -> list[tuple[int, int]]:
    """Return start and end of the outermost displays and environments; none if one does not end."""
    displays: list[tuple[int, int]] = []
    open_marks: list[str] = []
    start = 0
    for first, last in code_spans(text):
        for mark in _MARK.finditer(text, first, last):
            closes = _closing(mark)
            if open_marks and mark[0] == open_marks[-1]:
                open_marks.pop()
                if not open_marks:
                    displays.append((start, mark.end()))
            elif closes:
                start = start if open_marks else mark.start()
                open_marks.append(closes)
    return [] if open_marks else displays


def _closing(mark: re.Match[str]) -> str:
    r"""Return what ends the stretch that a mark opens; empty if it opens none."""
    if mark["begin"]:
        return rf"\end{{{mark['begin']}}}"
    return {r"\[": r"\]", "$$": "$$"}.get(mark[0], "")


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
#: Languages whose programs TeX would typeset as text.
_OTHERS = frozenset(
    {
        "python", "py", "python3", "ipython", "javascript", "js", "jsx", "typescript", "ts", "tsx", "html",
        "htm", "xml", "svg", "css", "json", "yaml", "yml", "bash", "sh", "shell", "zsh", "console",
        "powershell", "c", "cpp", "c++", "csharp", "cs", "java", "kotlin", "swift", "go", "rust", "rs",
        "ruby", "rb", "php", "perl", "lua", "r", "julia", "matlab", "octave", "mathematica", "wolfram",
        "sql", "haskell", "scala", "fortran", "dart", "lilypond", "ly", "abc", "asymptote", "asy", "dot",
        "graphviz", "mermaid", "plantuml", "typst", "gnuplot",
    }
)  # fmt: skip
_CLASS, _BEGIN_DOCUMENT = r"\documentclass", r"\begin{document}"
_CONTROL_SEQUENCE = re.compile(r"\\[A-Za-z\[(]")
#: Marks that stand in prose too, as in "R&D", "main_window", "A -> B" and "$5".
_WEAK = re.compile(r"(?<=\w)_(?=\w)|[&<>+|~=]|\$(?=\d)(?![^$]*\$)")
_WORDS_IN_A_ROW = re.compile(r"(?<![^\W\d_])(?:[^\W\d_]++[,;:]?[ ]){5}")
_MATHEMATICAL = re.compile(r"[\\$^_={}&<>+|~±×÷∂∇√∞∫∑∏≤≥≠≈∈⊂→←⇒\u0370-\u03ff\u2070-\u209f\u2200-\u22ff]")


def _has_body(code: str) -> bool:
    text = code_only(code)
    return _BEGIN_DOCUMENT in text or bool(cut(text, list(commands(text, _PREAMBLE))).strip())


def _program(blocks: Sequence[str]) -> tuple[int, ...]:
    """Return the last whole document, else the last block with a body, with the preambles before it."""
    documents = [
        number for number, block in enumerate(blocks) if _CLASS in block and _BEGIN_DOCUMENT in block
    ]
    if documents:
        return (documents[-1],)
    bodies = [number for number, block in enumerate(blocks) if _has_body(block)]
    last = bodies[-1] if bodies else len(blocks) - 1
    return (*(number for number in range(last) if number not in bodies), last)


def _is_code(text: str) -> bool:
    """Return whether a text has a control sequence, or a mathematical character and is not a refusal.

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
    _OTHERS,
)


def extract(text: str, profile: Profile) -> Structure | NoStructure:
    """Return the LaTeX code of an answer, which is trimmed first.

    ``paper`` takes the last whole document, else the last complete block that has a body, with the blocks
    before it that only load packages; no block of another language. It closes a fence that a truncated answer
    left open. Without a fence the answer is the code, without prose around it, unless it is prose: text
    without a control sequence and without a mathematical character.

    ``helm`` takes what stands between the first "```latex" and the next "```", else between the first two
    "```", else the whole completion. It always has a structure, if an empty one.

    Args:
        text: Answer without reasoning; of ``helm`` the completion.
        profile: Profile whose rules are followed.
    """
    if profile is Profile.HELM:
        return Structure(*helm_fenced(text, "```latex"))
    return code_structure(text, RULES)
