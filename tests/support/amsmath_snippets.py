r"""Every environment, command and symbol for users of amsmath and amssymb, in use.

Environments and commands stand in ``amsmath_snippets.tex``. Symbols are read from the installed packages, so
that none is forgotten.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

_SYMBOL = re.compile(
    r"\\DeclareMath(?:Symbol|Delimiter)\s*\{?\\(?P<name>[A-Za-z]+)\}?\s*\{?\\math(?P<kind>ord|alpha|bin|rel|op|open|close|punct)"
)
_PACKAGES = ("amssymb.sty", "amsfonts.sty", "fontmath.ltx")
_ON_A_PAGE = 60


def snippets() -> dict[str, str]:
    """Return the environments and commands by name."""
    text = Path(__file__).with_suffix(".tex").read_text(encoding="utf-8")
    sections = re.split(r"(?m)^%% (.*)\n", text)[1:]
    return dict(zip(sections[::2], (body.strip() for body in sections[1::2]), strict=True))


def symbol_pages() -> Iterator[str]:
    """Yield snippets that hold every symbol of the installed packages between two letters."""
    names: dict[str, None] = {}
    for package in _PACKAGES:
        found = subprocess.run(["kpsewhich", package], capture_output=True, text=True, check=True)
        source = Path(found.stdout.strip()).read_text(encoding="utf-8", errors="replace")
        names |= dict.fromkeys(match["name"] for match in _SYMBOL.finditer(source))
    listed = list(names)
    for start in range(0, len(listed), _ON_A_PAGE):
        yield " ".join(rf"$a\{name} b$" for name in listed[start : start + _ON_A_PAGE])
