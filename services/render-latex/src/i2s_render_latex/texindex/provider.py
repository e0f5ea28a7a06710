"""The LaTeX command that loads a provider."""

from __future__ import annotations

from i2s_wire.render.source_error import Provider, ProviderKind

_COMMANDS = {
    ProviderKind.PACKAGE: "usepackage",
    ProviderKind.CLASS: "documentclass",
    ProviderKind.TIKZ_LIBRARY: "usetikzlibrary",
    ProviderKind.PGFPLOTS_LIBRARY: "usepgfplotslibrary",
}


def load_command(provider: Provider) -> str:
    r"""Return the line that loads a provider, such as ``\usepackage{booktabs}``.

    A library needs its package (tikz or pgfplots) to be loaded before.
    """
    return f"\\{_COMMANDS[provider.kind]}{{{provider.name}}}"
