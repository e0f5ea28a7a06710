r"""Whether another run of TeX can change anything.

Documents are rerun until the .aux files are what they were before the run, as latexmk and its kin
do. The second run can be saved if the first one began without .aux files and left nothing that a
second would read to any effect: definitions of what is so anyway, and entries of lists (of tables,
figures, …) that the document does not print.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from i2s_render_latex.document import JOB_NAME, LOG, PDF, SOURCE
from i2s_render_latex.programs import KEPT_BY_ENGINES, XDV

AUX = f"{JOB_NAME}.aux"

# What .out holds, the bookmarks of hyperref, is not on the page.
_HARMLESS_FILES = frozenset({SOURCE, AUX, LOG, PDF, XDV, f"{JOB_NAME}.out"})

_INERT_LINES = frozenset(
    r"""
\relax
\gdef \@abspage@last{1}
\providecommand \oddpage@label [2]{}
\providecommand\hyper@newdestlabel[2]{}
\providecommand\HyperFirstAtBeginDocument{\AtBeginDocument}
\HyperFirstAtBeginDocument{\ifx\hyper@anchor\@undefined
\global\let\oldnewlabel\newlabel
\gdef\newlabel#1#2{\newlabelxx{#1}#2}
\gdef\newlabelxx#1#2#3#4#5#6{\oldnewlabel{#1}{{#2}{#3}}}
\AtEndDocument{\ifx\hyper@anchor\@undefined
\let\newlabel\oldnewlabel
\fi}
\global\let\hyper@last\relax
\gdef\HyperFirstAtBeginDocument#1{#1}
\providecommand\HyField@AuxAddToFields[1]{}
\providecommand\HyField@AuxAddToCoFields[2]{}
""".strip().split("\n")
)
"""What the kernel, hyperref and changepage write whatever the document says: the packages'
own definitions again, hyperref's for a run without it, and that there is one page, which the
kernel uses for its hook on the last page alone."""

_ENTRY = re.compile(r"\\@writefile\{\w+\}(?=\{)")
_BRACE = re.compile(r"\\.|[{}]")


def is_inert(aux: str, files: Collection[str]) -> bool:
    """Whether a first run that left this .aux and these files needs no second.

    Args:
        aux: Content of the job's own .aux file.
        files: All files in the work folder now, without those that were given and not changed. A
            list that the document prints has left one.
    """
    if not _HARMLESS_FILES.issuperset(name for name in files if not name.startswith(KEPT_BY_ENGINES)):
        return False
    lines = (line.rstrip() for line in aux.splitlines())
    return all(not line or line in _INERT_LINES or _is_entry(line) for line in lines)


def _is_entry(line: str) -> bool:
    """Whether a line is one entry of a list, and nothing comes after it."""
    start = _ENTRY.match(line)
    if start is None:
        return False
    depth = 0
    for brace in _BRACE.finditer(line, start.end()):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if depth == 0:
            return brace.end() == len(line)
    return False
