"""Units that can be loaded: the files of each, and whether pdfLaTeX can load it in an ordinary document.

A unit is one provider together with the files it consists of: its own, and those it inputs.
Units of one bundle lend each other their names: ``graphicx`` is the way to load what
``graphics.sty`` defines, because it always loads it and both are maintained together.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from i2s_wire.render.source_error import Provider, ProviderKind

from .definitions import with_depth


@dataclass(frozen=True, slots=True)
class Load:
    """One file that another loads."""

    #: Base names that TeX tries, the first that exists is loaded.
    names: tuple[str, ...]
    #: Whether loading is neither optional, nor inside a group, nor under a condition.
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


_LIBRARY = re.compile(r"(?:tikz|pgf)library(pgfplots\.)?(.+)\.code\.tex$")
#: Copies of an older version that a bundle keeps, such as ``amsmath-2018-12-01.sty``.
_DATED = re.compile(r"^(.+?)[-_](?:v?\d[\d._-]*|\d{4}-\d\d-\d\d)(?:-body)?$")


@dataclass(frozen=True, slots=True)
class Scanned:
    """What the units are made from: one file of the tree."""

    #: Its bundle, as in `trees.TreeFile`.
    bundle: str
    #: The files that it loads.
    loads: tuple[Load, ...]


@dataclass(frozen=True, slots=True)
class Unit:
    """A provider and its files."""

    #: How it is loaded.
    provider: Provider
    #: What it was installed with.
    bundle: str
    #: Files that are part of it.
    own: frozenset[str]
    #: Files of other units of the bundle that it always loads.
    lent: frozenset[str]


def provider_of(file: str) -> Provider | None:
    """Return what loads a file by its base name; None for files that only others load."""
    library = _LIBRARY.fullmatch(file)
    if library:
        kind = ProviderKind.PGFPLOTS_LIBRARY if library[1] else ProviderKind.TIKZ_LIBRARY
        return Provider(kind, library[2])
    stem, _, suffix = file.rpartition(".")
    if suffix == "sty":
        return Provider(ProviderKind.PACKAGE, stem)
    return Provider(ProviderKind.CLASS, stem) if suffix == "cls" else None


def units(files: Mapping[str, Scanned]) -> list[Unit]:
    """Return every unit of the tree, dated copies of others left out.

    Args:
        files: The scanned files by base name.
    """
    roots: dict[Provider, list[str]] = {}
    for name in files:
        provider = provider_of(name)
        if provider is not None and not _is_dated_copy(provider, files):
            roots.setdefault(provider, []).append(name)
    return [_unit(provider, names, files) for provider, names in roots.items()]


def _is_dated_copy(provider: Provider, files: Mapping[str, Scanned]) -> bool:
    dated = _DATED.match(provider.name)
    suffix = {ProviderKind.PACKAGE: ".sty", ProviderKind.CLASS: ".cls"}.get(provider.kind, ".code.tex")
    return bool(dated) and f"{dated[1]}{suffix}" in files  # type: ignore[index]


def _unit(provider: Provider, names: list[str], files: Mapping[str, Scanned]) -> Unit:
    bundle = files[names[0]].bundle
    own: set[str] = set(names)
    lent: set[str] = set()
    queue = deque((name, own) for name in names)
    while queue:
        name, reached = queue.popleft()
        for load in files[name].loads:
            target = loaded_file(load, files)
            if target is None or target in own or target in lent:
                continue
            if reached is own and provider_of(target) is None and _is_part(name, target, files):
                own.add(target)
                queue.append((target, own))
            elif load.always and files[target].bundle == bundle:
                lent.add(target)
                queue.append((target, lent))
    return Unit(provider, bundle, frozenset(own), frozenset(lent))


def _is_part(loader: str, file: str, files: Mapping[str, Scanned]) -> bool:
    """Whether an input file belongs to what inputs it, rather than to TeX at large."""
    return files[file].bundle == files[loader].bundle or not files[file].bundle


def loaded_file(load: Load, files: Collection[str]) -> str | None:
    """Return the base name of the file that a load finds in the tree; None if it finds none."""
    return next((name for name in load.names if name in files), None)


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
_DEMANDS = (r"\RequireLua", r"\RequireXe", r"\RequireTU", r"\Requirep", r"\Requireup")  # found faster


def demands_other_engine(text: str) -> bool:
    r"""Whether a file asks for another engine in so many words, such as ``\RequireLuaTeX``.

    Args:
        text: Cleaned text of the file.
    """
    return any(word in text for word in _DEMANDS) and _DEMAND.search(text) is not None


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
