r"""Which packages and libraries a paper loads, so that a piece can load one that it needs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from i2s_wire.render.source_error import Provider, ProviderKind

#: Commands that load libraries.
LIBRARIES = {
    "usetikzlibrary": ProviderKind.TIKZ_LIBRARY,
    "usepgfplotslibrary": ProviderKind.PGFPLOTS_LIBRARY,
}
#: The most names that one command loads.
MAX_NAMES = 100

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+_-]{0,60}")
_OPTIONS = re.compile(r"[A-Za-z0-9 ,=.:/+_*-]{0,300}")


def load_lines(command: str, options: str, names: str) -> Iterator[tuple[Provider, str]]:
    r"""Yield what a command loads, each with a line that loads it alone.

    Packages with options that need more than words, numbers and signs are left out: their options may use
    macros of the paper.

    Args:
        command: Name of the command, such as "usepackage" or "usetikzlibrary".
        options: Text in its brackets; "" for none.
        names: Text in its braces.
    """
    kind = LIBRARIES.get(command, ProviderKind.PACKAGE)
    plain = " ".join(options.split())
    if _OPTIONS.fullmatch(plain) is None:
        return
    for name in names.split(",")[:MAX_NAMES]:
        if _NAME.fullmatch(name.strip()) is None:
            continue
        word = "usepackage" if kind is ProviderKind.PACKAGE else command
        bracket = f"[{plain}]" if plain and kind is ProviderKind.PACKAGE else ""
        yield Provider(kind, name.strip()), f"\\{word}{bracket}{{{name.strip()}}}"
