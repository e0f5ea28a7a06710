r"""LaTeX without its preamble and with spaces normalised: the text that profile ``helm`` compares.

Comments stay. Every rule works line by line, as it does in the reference implementation.

Source: fidelity vectors of HELM v1.0.x, kinds "latex" and "strip_latex".
"""

from __future__ import annotations

import re

from i2s_sdk.tasks.latex.line_arguments import LineArguments, without

_HEADER = re.compile(r"\\(?:documentclass|documentstyle|usepackage)(?=[\[{])")
_BEGIN_DOCUMENT = re.compile(r"\\begin\{document\}\n*")
_END_DOCUMENT = r"\end{document}"
_BEGIN = re.compile(r"\\begin(?=\{)")
_END = re.compile(r"\\end(?=\{)")
_SPACES = re.compile(" +")
_BLANK_LINES = re.compile(r"\n\s*\n")


def strip_latex(source: str) -> str:
    r"""Return ``source`` without preamble, one line feed after every ``\begin{…}`` and ``\end{…}``.

    An option stays with its ``\begin``; but if a line feed follows the option, the one that is added stands
    before it. Runs of blanks become one, each tab becomes one blank, blank lines go.
    """
    body = _BEGIN_DOCUMENT.sub("", without(_HEADER, LineArguments.option_and_name, source))
    body = body.partition(_END_DOCUMENT)[0]
    body = _break_after_ends(_break_after_begins(body))
    body = _SPACES.sub(" ", body).replace("\t", " ")
    lines = "\n".join(line.strip(" \t") for line in body.split("\n"))
    return _BLANK_LINES.sub("\n", lines).strip()


def _break_after_begins(body: str) -> str:
    read = LineArguments(body)
    parts: list[str] = []
    position = 0
    for match in _BEGIN.finditer(body):
        name_end = read.name(match.end()) if match.start() >= position else None
        if name_end is None:
            continue
        end = read.option(name_end) or name_end
        broken = body.startswith("\n", end)
        cut = name_end if broken else end
        line_feed = "" if broken and end == name_end else "\n"
        parts += [body[position:cut], line_feed, body[cut:end]]
        position = end
    return "".join([*parts, body[position:]])


def _break_after_ends(body: str) -> str:
    read = LineArguments(body)
    parts: list[str] = []
    position = 0
    for match in _END.finditer(body):
        end = read.name(match.end()) if match.start() >= position else None
        if end is not None and not body.startswith("\n", end):
            parts += [body[position:end], "\n"]
            position = end
    return "".join([*parts, body[position:]])
