"""TeX source made ready for scanning: no comments, no braces that do not group."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_COMMENT = re.compile(r"%[^\n]*(?:\n[ \t]*)?")
_END = re.compile(r"^\\endinput\b(?![^\n]*\\fi)(?!\s*\\fi)", re.MULTILINE)

#: Stands for an escaped character, so that positions of everything else stay comparable.
_ESCAPED = "\x01\x01"


def clean(text: str) -> str:
    r"""Return ``text`` without comments and with escaped braces, percents and backslashes blanked.

    What follows an unconditional ``\endinput`` at the start of a line is left out too: TeX does
    not read it, and packages keep documentation there.
    """
    for escape in ("\\\\", "\\%", "\\{", "\\}"):
        text = text.replace(escape, _ESCAPED)
    text = _COMMENT.sub("", text)
    end = _END.search(text)
    return text[: end.start()] if end else text


def with_depth(text: str, matches: Iterable[re.Match[str]]) -> Iterator[tuple[re.Match[str], int]]:
    """Yield each match with the number of groups that are open where it starts.

    Depth 0 is code that runs when the file is loaded; deeper code runs later, or perhaps never.

    Args:
        text: Cleaned text.
        matches: Matches in ``text``, in order of their start.
    """
    position = depth = 0
    for match in matches:
        start = match.start()
        depth += text.count("{", position, start) - text.count("}", position, start)
        depth = max(depth, 0)
        position = start
        yield match, depth
