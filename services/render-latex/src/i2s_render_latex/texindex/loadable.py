"""Which units pdfLaTeX can load in an ordinary document."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from .loads import Load
from .units import Scanned, Unit, loaded_file

#: Packages that end the run in any engine but LuaTeX or XeTeX.
_OTHER_ENGINES = re.compile(
    r"fontspec.*|unicode-math.*|xunicode.*|xltxtra|luatex.*|lualatex.*|luacode|luaotfload|luamplib|polyglossia"
    r"|xeCJK.*|mathspec|bidi|xepersian.*|zhspacing"
)
#: Packages that only work from inside a class or with a program beside TeX, that replace others
#: for another output, and empty shells for documents of long ago.
_NOT_FOR_DOCUMENTS = re.compile(
    r"beamer(?:base|theme|inner|outer|color|font).*|lwarp.*|minted1|bugtracker|pgflibrary.*"
)
_DEMAND = re.compile(
    r"^[ \t]*\\Require(?:LuaTeX|XeTeX|TUTeX|LuaHBTeX|pTeX|upTeX|pTeXng)[ \t]*$", re.MULTILINE
)


def demands_other_engine(text: str) -> bool:
    r"""Whether a file asks for another engine in so many words, such as ``\RequireLuaTeX``.

    Args:
        text: Cleaned text of the file.
    """
    return _DEMAND.search(text) is not None


def loadable_units(
    units: Sequence[Unit],
    files: Mapping[str, Scanned],
    installed: Collection[str],
    demanding: Collection[str],
) -> list[Unit]:
    """Return the units that pdfLaTeX can load.

    A unit cannot be loaded when a file of it demands another engine or always loads something
    that cannot be loaded or is not installed.

    Args:
        units: All units.
        files: The scanned files by base name.
        installed: Base names of all files of the trees.
        demanding: Base names of files that demand another engine.
    """
    refused = set(demanding)
    for name in files:
        stem = name.removesuffix(".sty")
        if stem != name and (_OTHER_ENGINES.fullmatch(stem) or _NOT_FOR_DOCUMENTS.fullmatch(stem)):
            refused.add(name)
    grown = True
    while grown:
        failing = {
            name
            for name, scanned in files.items()
            if name not in refused and any(_fails(load, installed, refused) for load in scanned.loads)
        }
        refused |= failing
        grown = bool(failing)
    return [unit for unit in units if not unit.own & refused]


def _fails(load: Load, installed: Collection[str], refused: Collection[str]) -> bool:
    if not load.always:
        return False
    target = loaded_file(load, installed)
    return target is None or target in refused
