"""Which lines of a Markdown document belong to fenced code blocks."""

from __future__ import annotations

import re
from collections.abc import Sequence

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


def fenced_lines(lines: Sequence[str]) -> list[bool]:
    """Return for each line whether it is part of a fenced code block, the two fences included.

    A fence is closed by a line of at least as many of the same character and nothing else; one that is never
    closed runs to the end, as in CommonMark.
    """
    inside: list[bool] = []
    fence = ""
    for line in lines:
        found = _FENCE.match(line)
        mark = found.group(1) if found else ""
        if fence:
            inside.append(True)
            if mark.startswith(fence) and not line.strip().strip(mark[0]):
                fence = ""
        else:
            fence = "" if mark.startswith("`") and "`" in line.strip().lstrip("`") else mark
            inside.append(bool(fence))
    return inside
