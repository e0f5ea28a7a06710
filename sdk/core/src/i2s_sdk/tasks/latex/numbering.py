r"""Numbers off: numbered maths is starred and labels are removed, since a picture shows what they count."""

from __future__ import annotations

import re

from i2s_sdk.tasks.latex.tex_source import commands, own_line, rewrite_code

#: Environments that number what they hold and have a starred form that does not.
NUMBERED = (
    "equation",
    "align",
    "alignat",
    "gather",
    "flalign",
    "multline",
    "eqnarray",
    "subeqnarray",
    "aligneq",
)

_DELIMITER = re.compile(rf"(\\(?:begin|end)\s*\{{(?:{'|'.join(NUMBERED)}))\}}")


def without_numbers(source: str) -> str:
    r"""Return ``source`` with numbered environments starred and every ``\label{…}`` removed.

    Only environments are touched, and nothing in comments or verbatim text. A line that holds a label and
    nothing else goes as a whole, because a blank line in its place would end a paragraph.

    Source: Image2Struct, appendix on post-processing.
    """
    return _without_labels(rewrite_code(_DELIMITER, r"\1*}", source))


def _without_labels(source: str) -> str:
    kept: list[str] = []
    position = 0
    for start, end in _labels(source):
        cut_from, cut_to = own_line(source, start, end)
        kept.append(source[position:cut_from])
        position = cut_to
    return "".join([*kept, source[position:]])


def _labels(source: str) -> list[tuple[int, int]]:
    """Return where labels stand; those with nothing but blanks between them stand together."""
    found: list[tuple[int, int]] = []
    for command in commands(source, {"label": 1}):
        if found and not source[found[-1][1] : command.start].strip(" \t"):
            found[-1] = found[-1][0], command.end
        else:
            found.append((command.start, command.end))
    return found
