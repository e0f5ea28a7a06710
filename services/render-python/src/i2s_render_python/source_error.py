"""The error of a program as it is reported, with its cause: a removed name, a rule of the sandbox."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence

from i2s_render_python.files import PROGRAM
from i2s_render_python.inside.restored_names.table import CHANGES
from i2s_render_python.result import ProgramError
from i2s_wire.render.source_error import ErrorKind, Provider, ProviderKind, SourceError, Undefined

_OF_MODULE = re.compile(r"[Mm]odule '([\w.]+)' has no attribute '(\w+)'")
_FROM_MODULE = re.compile(r"cannot import name '(\w+)' from '([\w.]+)'")
_NO_MODULE = re.compile(r"No module named '([\w.]+)'")
_IN_WORDS = re.compile(r"`?(?:(np|nx)\.)?(\w+)`? (?:was|has been) removed")
_OF_OBJECT = re.compile(r"'(?:[\w.]+\.)?(\w+)' (?:object )?has no attribute '(\w+)'")
_NOT_ITERABLE = re.compile(r"'(\w+)' object is not iterable")
_UNEXPECTED = re.compile(r"(?:(\w+)\.)?(\w+)\(\) got an unexpected keyword argument '(\w+)'")
_TOO_MANY = re.compile(
    r"(?:(\w+)\.)?(\w+)\(\) (?:takes .* positional arguments? but|got multiple values for argument 'data')"
)
_MISSING = re.compile(r"(\w+)\(\) missing 1 required positional argument: '(\w+)'")
_FREQUENCY = re.compile(r"Invalid frequency: [\d.+-]*([A-Za-z]+)")
_STYLE = re.compile(r"'(seaborn[\w-]*)' is not a valid package style")
_COLORMAP = re.compile(r"'(\w+)' is not a valid value for (?:colormap|cmap)")
_SCALE_ARGUMENT = re.compile(r"(?:base|subs|nonpos|linthresh|linscale)[xy]")
_SAVE_ARGUMENTS = frozenset({"frameon", "papertype", "quality"})
_INITIALIZER = "__init__"

#: Classes whose attributes are those of another one.
_BASES = {
    "Axes3D": "Axes",
    "DiGraph": "Graph",
    "FigureCanvasAgg": "FigureCanvasBase",
    "MultiDiGraph": "Graph",
    "MultiGraph": "Graph",
    "PolarAxes": "Axes",
    "QuadContourSet": "ContourSet",
    "TriContourSet": "ContourSet",
}
#: What a library says of an argument that it has passed on.
_PASSED_ON = {
    "_generate_range(closed)": "date_range(closed)",
    "bar(x)": "bar(left)",
    "barh(y)": "barh(bottom)",
    "annotate(text)": "annotate(s)",
    "gca(polar)": "gca(projection)",
    "set(normed)": "hist(normed)",
    "set(split)": "stripplot(split)",
    "set(stat_func)": "jointplot(stat_func)",
}


def _ends() -> Mapping[str, str]:
    """Return the names by what errors tell of them: of "a.b.f(x)" "f(x)", of "a.B.c" "B.c"."""
    ends = {}
    for name in CHANGES:
        parts = name.split(".")
        ends[parts[-1] if name.endswith(")") else ".".join(parts[-2:])] = name
    return ends


_ENDS = _ends()
_FREQUENCIES, _STYLES = "pandas frequency ", "matplotlib.style "


def removed_name(error: ProgramError) -> str:
    """Return the name that an exception is about, if it can be put back; else an empty text."""
    for name in _names(error):
        if name in CHANGES:
            return name
    for end in _candidates(error.text):
        name = _ENDS.get(_PASSED_ON.get(end, end), "")
        if name:
            return name
    return ""


def _names(error: ProgramError) -> Iterator[str]:
    """Yield the names of the table that an error may be about."""
    text = error.text
    if match := _OF_MODULE.search(text):
        yield f"{match[1]}.{match[2]}"
    if match := _FROM_MODULE.search(text):
        yield f"{match[2]}.{match[1]}"
    if match := _NO_MODULE.search(text):
        yield match[1]
    if match := _IN_WORDS.search(text):
        of = {"np": "numpy", "nx": "networkx"}.get(match[1], "scipy.interpolate")
        yield f"{of}.{match[2]}"
    if match := _FREQUENCY.search(text):
        yield f"{_FREQUENCIES}{match[1]}"
    if match := _STYLE.search(text):
        yield f"{_STYLES}{match[1]}"
    if match := _COLORMAP.search(text):
        yield f"matplotlib.cm.{match[1]}"
    if text.startswith("Unable to determine Axes to steal space for Colorbar"):
        yield "matplotlib.figure.Figure.colorbar(ax)"
    if text.startswith("whis must be"):
        yield "seaborn.boxplot(whis=range)"


def _candidates(text: str) -> Iterator[str]:
    """Yield ends of names that an error may be about."""
    if match := _OF_OBJECT.search(text):
        yield f"{match[1]}.{match[2]}"
        yield f"{_BASES.get(match[1], match[1])}.{match[2]}"
    if match := _NOT_ITERABLE.search(text):
        yield f"{match[1]}.__iter__"
    if match := _UNEXPECTED.search(text):
        function = match[1] if match[2] == _INITIALIZER else match[2]
        if _SCALE_ARGUMENT.fullmatch(match[3]):
            yield "set_xscale(basex)"
        if function.startswith("print_") and match[3] in _SAVE_ARGUMENTS:
            yield "savefig(frameon)"
        yield f"{function}({match[3]})"
    if match := _TOO_MANY.search(text):
        yield f"{match[1] if match[2] == _INITIALIZER else match[2]}(positional)"
    if match := _MISSING.search(text):
        yield f"{match[1]}({match[2]})"
    if "keyword grid_b is not recognized" in text:
        yield "grid(b)"


_LATEX = re.compile(
    r"tex\.cache|because (?:latex|xelatex|lualatex|pdflatex|dvipng) could not be found|"
    r"(?:xelatex|lualatex|pdflatex) not found"
)
_OF_NETWORK = frozenset(
    {"URLError", "HTTPError", "gaierror", "ConnectionError", "ConnectionRefusedError", "NewConnectionError"}
)
_MODULES_OF_NETWORK = frozenset({"socket", "_socket", "urllib.request", "http.client", "ssl", "asyncio"})
_SHARED_MEMORY = ("multiprocessing.synchronize", "multiprocessing.shared_memory", "multiprocessing.heap")
_OF_DISPLAYS = frozenset({"tkinter", "_tkinter", "PyQt5", "PyQt6", "PySide2", "PySide6", "wx", "gi"})
_ABSOLUTE = re.compile(r"'(/[^']*)'")


def rule(error: ProgramError, libraries: Sequence[str]) -> str:
    """Return a sentence that names the rule, empty if no rule is known to be the cause.

    Args:
        error: The exception that ended the program.
        libraries: What programs may import.
    """
    if error.missing and error.name:
        return _of_module(error.name.partition(".")[0], libraries)
    if error.type == "ImportError" and error.module != "__main__":  # a library lacks another one
        return _of_module("", libraries)
    if _LATEX.search(error.text):
        return "There is no LaTeX in this sandbox, so text.usetex and pgf cannot be used."
    if error.module.startswith(_SHARED_MEMORY):
        return (
            "There is no shared memory in this sandbox, and so no semaphores: "
            "pools and queues of multiprocessing cannot be used."
        )
    if error.type in _OF_NETWORK or (_is_of_system(error) and error.module in _MODULES_OF_NETWORK):
        return "There is no network in this sandbox."
    if _is_of_system(error) and error.module == "subprocess":
        return "A program starts no other programs in this sandbox."
    if error.type == "EOFError" and "reading a line" in error.text:
        return "There is nobody to answer in this sandbox: standard input is empty."
    return _of_files(error)


def _of_module(name: str, libraries: Sequence[str]) -> str:
    if name in _OF_DISPLAYS:
        return "There is no display in this sandbox, and no library of windows."
    if name in sys.stdlib_module_names:
        return ""
    return f"Programs may import the modules of Python and these libraries: {', '.join(libraries)}."


def _is_of_system(error: ProgramError) -> bool:
    return error.type in ("OSError", "PermissionError", "FileNotFoundError", "BlockingIOError")


def _of_files(error: ProgramError) -> str:
    if error.type not in ("FileNotFoundError", "PermissionError"):
        return ""
    if _ABSOLUTE.search(error.text):
        return "A program reads and writes in its own folder only."
    return "Only files that came with the program lie beside it." if "'" in error.text else ""


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
