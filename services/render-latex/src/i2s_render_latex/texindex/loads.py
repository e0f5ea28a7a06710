"""Which other files a TeX file loads, and whether it always does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .source import with_depth


@dataclass(frozen=True, slots=True)
class Load:
    """One file that another loads.

    Attributes:
        names: Base names that TeX tries, the first that exists is loaded.
        always: Whether loading is neither optional, nor inside a group, nor under a condition.
    """

    names: tuple[str, ...]
    always: bool


_LOADING = re.compile(
    r"\\(RequirePackage(?:WithOptions)?|usepackage|LoadClass(?:WithOptions)?|usetikzlibrary|usepgflibrary"
    r"|usepgfmodule|usepgfplotslibrary|@{0,2}input|pgfutil@input|(?:pgfutil@)?InputIfFileExists|file_input:n)"
    r"(?![A-Za-z@])\s*(?:\[[^\]]*\]\s*)?(?:\{([^{}\\#]+)\}|([A-Za-z0-9@._-]+))"
)
_CONDITION = re.compile(r"\\(if[A-Za-z@]*|fi|newif\s*\\if[A-Za-z@]*)(?![A-Za-z@])")
#: Words with ``if`` that a ``\fi`` belongs to; others take their branches in braces.
_OPENING = re.compile(
    r"if(?:x|num|dim|cat|defined|csname|case|odd|[vhm]mode|inner|void|[vh]box|true|false|eof|@.*)?"
    r"|if(?:pdf|xetex|luatex|vtex|pdftex|XeTeX|LuaTeX|PDFTeX|tutex|TUTeX|luahbtex|ptex|uptex)"
)

_FORMS: dict[str, tuple[str, ...]] = {
    "RequirePackage": ("{}.sty",),
    "RequirePackageWithOptions": ("{}.sty",),
    "usepackage": ("{}.sty",),
    "LoadClass": ("{}.cls",),
    "LoadClassWithOptions": ("{}.cls",),
    "usetikzlibrary": ("tikzlibrary{}.code.tex", "pgflibrary{}.code.tex"),
    "usepgflibrary": ("pgflibrary{}.code.tex",),
    "usepgfmodule": ("pgfmodule{}.code.tex",),
    "usepgfplotslibrary": ("tikzlibrarypgfplots.{}.code.tex", "pgflibrarypgfplots.{}.code.tex"),
}
_INPUT = ("{}", "{}.tex")


def loads(text: str) -> Iterator[Load]:
    """Yield what a file loads.

    Args:
        text: Cleaned text of the file.
    """
    conditions = _conditional_stretches(text)
    for match, depth in with_depth(text, _LOADING.finditer(text)):
        always = (
            depth == 0
            and not match[1].endswith("IfFileExists")
            and not any(start < match.start() < end for start, end in conditions)
        )
        forms = _FORMS.get(match[1], _INPUT)
        listed = match[2] or match[3]
        for name in listed.split(",") if forms is not _INPUT else [listed]:
            if name.strip():
                yield Load(tuple(form.format(name.strip()) for form in forms), always)


def _conditional_stretches(text: str) -> list[tuple[int, int]]:
    r"""Return where ``\if… … \fi`` stand, outermost only; an ``\if`` that never closes counts for nothing."""
    own = {match[1].split("\\")[-1] for match in _CONDITION.finditer(text) if match[1].startswith("newif")}
    stretches: list[tuple[int, int]] = []
    open_: list[int] = []
    for match in _CONDITION.finditer(text):
        word = match[1]
        if word == "fi":
            if open_:
                start = open_.pop()
                if not open_:
                    stretches.append((start, match.start()))
        elif word in own or _OPENING.fullmatch(word):
            open_.append(match.start())
    return stretches
