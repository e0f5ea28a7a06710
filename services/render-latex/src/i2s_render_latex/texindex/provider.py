"""The answer of the index: what can be loaded to define a name."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class ProviderKind(enum.IntEnum):
    """How a provider is loaded. Values equal those of the wire."""

    PACKAGE = 1
    CLASS = 2
    TIKZ_LIBRARY = 3
    PGFPLOTS_LIBRARY = 4

    @property
    def command(self) -> str:
        r"""The LaTeX command that loads a provider of this kind, without its backslash."""
        return _COMMANDS[self]


_COMMANDS = {
    ProviderKind.PACKAGE: "usepackage",
    ProviderKind.CLASS: "documentclass",
    ProviderKind.TIKZ_LIBRARY: "usetikzlibrary",
    ProviderKind.PGFPLOTS_LIBRARY: "usepgfplotslibrary",
}


@dataclass(frozen=True, slots=True, order=True)
class Provider:
    r"""A package, class or library of the installed TeX tree.

    Attributes:
        kind: How it is loaded.
        name: What stands in the braces of the command that loads it, such as "booktabs".
    """

    kind: ProviderKind
    name: str

    @property
    def loading(self) -> str:
        r"""The line that loads it, such as ``\usepackage{booktabs}``.

        A library needs its package (tikz or pgfplots) to be loaded before.
        """
        return f"\\{self.kind.command}{{{self.name}}}"
