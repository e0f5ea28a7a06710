"""Recognizes errors of programs that use a name which a library has removed, and which can be put back.

Only the words of the exception decide, as Python and the libraries write them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from i2s_render_python.inside.restored_names.table import CHANGES
from i2s_render_python.result import ProgramError

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
