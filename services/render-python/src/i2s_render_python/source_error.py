"""The error of a program as it is reported, with what would mend it."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from i2s_render_python.files import PROGRAM
from i2s_render_python.removed_names import removed_name
from i2s_render_python.result import ProgramError
from i2s_render_python.sandbox_rules import rule
from i2s_wire.render.source_error import ErrorKind, Provider, ProviderKind, SourceError, Undefined

#: What programs commonly call modules.
_ALIASES = {
    "Image": "PIL.Image as Image",
    "cm": "matplotlib.cm as cm",
    "gridspec": "matplotlib.gridspec as gridspec",
    "mcolors": "matplotlib.colors as mcolors",
    "mdates": "matplotlib.dates as mdates",
    "mlines": "matplotlib.lines as mlines",
    "mpatches": "matplotlib.patches as mpatches",
    "mpl": "matplotlib as mpl",
    "mticker": "matplotlib.ticker as mticker",
    "np": "numpy as np",
    "nx": "networkx as nx",
    "patches": "matplotlib.patches as patches",
    "pd": "pandas as pd",
    "plt": "matplotlib.pyplot as plt",
    "scipy": "scipy",
    "sklearn": "sklearn",
    "sns": "seaborn as sns",
    "sp": "sympy as sp",
    "stats": "scipy.stats as stats",
    "sympy": "sympy",
    "ticker": "matplotlib.ticker as ticker",
}
_LIBRARIES = ("matplotlib", "networkx", "numpy", "pandas", "seaborn", "shapely", "squarify")


def source_error(error: ProgramError, libraries: Sequence[str] = ()) -> SourceError:
    """Return an exception of a program as the wire has it.

    Args:
        error: The exception.
        libraries: What programs may import, for messages.
    """
    words = f"{error.type}: {error.text}" if error.text else error.type
    kind, undefined = _about(error)
    cause = rule(error, libraries) if undefined is None or not undefined.providers else ""
    return SourceError(
        message=f"{words.rstrip('.')}. {cause}" if cause else words,
        kind=kind,
        line=error.line,
        file="" if error.file == PROGRAM else error.file,
        undefined=undefined,
        context=error.context,
    )


def _about(error: ProgramError) -> tuple[ErrorKind, Undefined | None]:
    if error.syntax:
        return ErrorKind.SYNTAX, None
    removed = removed_name(error)
    if removed:
        return _kind_of_removed(removed, error), Undefined(
            removed, (Provider(ProviderKind.RESTORED_NAME, removed),)
        )
    if error.missing and error.name:
        return ErrorKind.UNDEFINED_FILE, Undefined(error.name)
    if error.type in ("NameError", "UnboundLocalError") and error.name:
        return ErrorKind.UNDEFINED_COMMAND, Undefined(error.name, _providers(error.name))
    if error.type in ("FileNotFoundError", "PermissionError", "IsADirectoryError", "EOFError"):
        return ErrorKind.INPUT_OUTPUT, None
    return ErrorKind.OTHER, None


def _kind_of_removed(name: str, error: ProgramError) -> ErrorKind:
    """Return what is missing: a module, an argument or value, or a function or class."""
    if error.missing:
        return ErrorKind.UNDEFINED_FILE
    return ErrorKind.UNDEFINED_KEY if name.endswith(")") or " " in name else ErrorKind.UNDEFINED_COMMAND


def _providers(name: str) -> tuple[Provider, ...]:
    module = _ALIASES.get(name) or (
        name if name in _LIBRARIES or (name in sys.stdlib_module_names and not name.startswith("_")) else ""
    )
    return (Provider(ProviderKind.MODULE, module),) if module else ()
