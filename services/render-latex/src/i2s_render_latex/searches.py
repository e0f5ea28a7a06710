r"""Which files a preamble has looked for, as kpathsea reports them, found or not.

A format holds what came of those looks. That is the same for every job only if no look was at the job's
own folder, nor could have been answered by a file that a job may have there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from types import MappingProxyType

from i2s_render_latex.document import JOB_NAME, SOURCE
from i2s_render_latex.stable import AUX

#: Files beside a document that a preamble does not load unless it looks for them.
PICTURES_AND_DATA = (".png", ".jpg", ".jpeg", ".pdf", ".csv", ".dat", ".tsv")

_SEARCH = re.compile(r"kdebug:returning from generic search\(\[([^\]\n]*)\]\) =>(.*)")

#: What makes kpathsea write its searches to standard error (KPSE_DEBUG_SEARCH). With any debugging on, TeX
#: also leaves the beginnings of a PDF that it otherwise removes.
ENVIRONMENT_OF_SEARCHES: Mapping[str, str] = MappingProxyType({"KPATHSEA_DEBUG": "32"})


def own_file(searches: str, begun: bool) -> str:
    r"""Return the first look that another job could have had answered otherwise; empty for none.

    Args:
        searches: What kpathsea wrote; what TeX wrote may stand between its lines, and can add looks alone.
        begun: Whether ``\begin{document}`` was among it, which looks for the .aux file. It serves first runs
            alone, in which there is none.
    """
    sources = 0
    names: str
    found: str
    for names, found in _SEARCH.findall(searches):
        path = found.strip()
        sources += path in (SOURCE, f"./{SOURCE}")
        if path in (SOURCE, f"./{SOURCE}") and sources == 1:
            continue  # the head itself
        wanted = [PurePosixPath(name).name.lower() for name in names.split()]
        if begun and AUX in wanted and (not path or path in (AUX, f"./{AUX}")):
            continue
        if path and not path.startswith("/"):
            return path
        if not path and any(name.startswith(f"{JOB_NAME}.") or _is_beside(name) for name in wanted):
            return names
    return ""


def _is_beside(name: str) -> bool:
    return name.endswith(PICTURES_AND_DATA)
