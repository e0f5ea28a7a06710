r"""LaTeX without its preamble and with spaces normalised: the text that profile ``helm`` compares.

Comments stay. Every rule works line by line, as it does in the reference implementation.

Source: fidelity vectors of HELM v1.0.x, kinds "latex" and "strip_latex".
"""

from __future__ import annotations

import re

_HEADER = re.compile(r"\\(?:documentclass|documentstyle|usepackage)(?:\[[^\n]*?\])?\{[^\n]*?\}")
_BEGIN_DOCUMENT = re.compile(r"\\begin\{document\}\n*")
_END_DOCUMENT = r"\end{document}"
_BEGIN = re.compile(r"\\begin\{[^\n]*?\}(?P<option>\[[^\n]*?\])?")
_END = re.compile(r"\\end\{[^\n]*?\}(?!\n)")
_SPACES = re.compile(" +")
_BLANK_LINES = re.compile(r"\n\s*\n")


def strip_latex(source: str) -> str:
    r"""Return ``source`` without preamble, one line feed after every ``\begin{…}`` and ``\end{…}``.

    An option stays with its ``\begin``; but if a line feed follows the option, the one that is added stands
    before it. Runs of blanks become one, each tab becomes one blank, blank lines go.
    """
    body = _BEGIN_DOCUMENT.sub("", _HEADER.sub("", source))
    body = body.partition(_END_DOCUMENT)[0]
    body = _END.sub(lambda match: match.group() + "\n", _BEGIN.sub(_break_after, body))
    body = _SPACES.sub(" ", body).replace("\t", " ")
    lines = "\n".join(line.strip(" \t") for line in body.split("\n"))
    return _BLANK_LINES.sub("\n", lines).strip()


def _break_after(match: re.Match[str]) -> str:
    followed_by_break = match.string.startswith("\n", match.end())
    if not followed_by_break:
        return match.group() + "\n"
    option = match["option"]
    if option is None:
        return match.group()
    return match.group().removesuffix(option) + "\n" + option
