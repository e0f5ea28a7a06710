r"""Which commands and environments a TeX file defines, and how sure that is.

TeX is a language whose syntax programs can change, so this reads idioms, not the language: a
control word that by its name defines something, followed by the name that it defines.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from .source import with_depth


class Category(enum.IntEnum):
    """What kind of thing a name is."""

    COMMAND = 1
    ENVIRONMENT = 2
    KEY = 3
    FILE = 4


class How(enum.IntEnum):
    """How a file defines a name, the surest last."""

    PATCHED = 1  #: redefined: something else has defined it before
    UNSEEN = 2  #: the source defines it, yet it is not there after loading
    NESTED = 3  #: defined inside a group, so maybe only for a while or under a condition
    OFFERED = 4  #: defined unless something else has
    ALIASED = 5  #: made a second name of something
    SEEN = 6  #: there after loading, although no source says so
    CUSTOM = 7  #: by a command whose name speaks of defining
    DEFINED = 8


@dataclass(frozen=True, slots=True)
class Definition:
    """One name that a file defines."""

    category: Category
    name: str
    how: How


_COMMAND = re.compile(r"\\([A-Za-z@_:]+)(?=\s*\*?\s*\{?\s*\\(?!csname)([A-Za-z]+)(?![A-Za-z@_:]))")
_NAMED = re.compile(
    r"\\(?:@namedef|cs[gex]?def|csxdef|newrobustcmd|[gex]?def\s*\\csname|let\s*\\csname|csletcs|cslet"
    r"|cs_(?:new|set|gset)[a-z_]*:c[A-Za-z]*)\s*\{?\s*([A-Za-z]+)\s*(?:\}|\\endcsname)"
)
_NEWIF = re.compile(r"\\newif\s*\\if([A-Za-z]+)(?![A-Za-z@_:])")
_ENVIRONMENT = re.compile(
    r"\\([A-Za-z@_]*(?:[Ee]nviron|theorem|TheoremType|tcolorbox|TColorBox|tcblisting|TCBListing|tcbinputlisting"
    r"|newlist\b|floattype|newfloat\b|DeclareFloating|comment\b|mdtheorem|DefineVerbatim|newtabular"
    r"|framed|proof)[A-Za-z@_]*)\s*\*?\s*(?:\[[^\]{}]*\])?\s*\{\s*([A-Za-z][A-Za-z0-9:.-]*\*?)\s*\}"
)
#: pgfplots names the environment of an axis type after it.
_AXIS_TYPE = re.compile(r"\\pgfplotsdefineaxistype\s*(?:\[[^\]]*\])?\s*\{([a-z]+)\}")
_DEFINES_ENVIRONMENT = re.compile(r"[Nn]ew|[Dd]eclare|[Pp]rovide|[Dd]efine|special|include|exclude|fancy")
_UNDEFINING = re.compile(r"\s*=?\s*\\(?:@?undefined|relax|@empty)(?![A-Za-z@])")

_EXACT = {
    "def": How.DEFINED,
    "gdef": How.DEFINED,
    "edef": How.DEFINED,
    "xdef": How.DEFINED,
    "font": How.DEFINED,
    "let": How.ALIASED,
    "glet": How.ALIASED,
}
_NOT_DEFINING = re.compile(
    r"undef|ifdef|default|newline|newpage|newcase|defcounter|DeclareOption|[Dd]efinecolor|delet|letter|@let|show"
    r"|ifnew|Warning|Error|definable|deftransl|test|check"
)
_PATCHING = re.compile(r"[Rr]enew|[Rr]edefine|[Rr]edeclare|patch")
_OFFERING = re.compile(r"[Pp]rovide")
_STANDARD = re.compile(
    r"new(?:command|length|dimen|skip|count|toks|box|savebox|muskip|write|read|robustcmd|commandx|counter)x?$"
    r"|Declare(?:RobustCommand|Math[A-Za-z]+|SymbolFontAlphabet|Text[A-Za-z]+|OldFontCommand|Paired[A-Za-z]+"
    r"|DocumentCommand|ExpandableDocumentCommand|FixedFont|UrlCommand)$"
    r"|New(?:Expandable)?DocumentCommand$|(?:math)?chardef$|(?:count|dimen|skip|toks)def$"
)
_CUSTOM = re.compile(
    r"def|Def|DEF|new|New|[Dd]ecl|DECLARE|set_eq|cs_g?set|let$|make[a-z]*command|UserCommand"
)


def definitions(text: str) -> Iterator[Definition]:
    """Yield what a file defines; the same name may come more than once.

    Args:
        text: Cleaned text of the file.
    """
    defined: set[str] = set()
    for definition in _commands(text):
        defined.add(definition.name)
        yield definition
    for match, depth in with_depth(text, _NAMED.finditer(text)):
        defined.add(match[1])
        yield Definition(Category.COMMAND, match[1], How.DEFINED if depth == 0 else How.NESTED)
    for match in _NEWIF.finditer(text):
        for name in (f"if{match[1]}", f"{match[1]}true", f"{match[1]}false"):
            yield Definition(Category.COMMAND, name, How.DEFINED)
    yield from _environments(text)
    for name in defined:
        if f"end{name}" in defined:
            yield Definition(Category.ENVIRONMENT, name, How.CUSTOM)


def _commands(text: str) -> Iterator[Definition]:
    for match, depth in with_depth(text, _COMMAND.finditer(text)):
        how = _how(match[1])
        if how is None:
            continue
        if how is How.ALIASED and _UNDEFINING.match(text, match.end(2)):
            how = How.PATCHED
        elif depth > 0:
            how = min(how, How.NESTED)
        yield Definition(Category.COMMAND, match[2], how)


@cache
def _how(definer: str) -> How | None:
    """Return what a control word does to the control word that follows it."""
    known = _EXACT.get(definer)
    if known is not None:
        return known
    if _NOT_DEFINING.search(definer):
        return None
    if _PATCHING.search(definer):
        return How.PATCHED
    if _OFFERING.search(definer):
        return How.OFFERED
    if _STANDARD.search(definer):
        return How.DEFINED
    return How.CUSTOM if _CUSTOM.search(definer) else None


def _environments(text: str) -> Iterator[Definition]:
    for match in _AXIS_TYPE.finditer(text):
        yield Definition(Category.ENVIRONMENT, f"{match[1]}axis", How.CUSTOM)
    for match, depth in with_depth(text, _ENVIRONMENT.finditer(text)):
        definer, name = match[1], match[2]
        if _PATCHING.search(definer):
            yield Definition(Category.ENVIRONMENT, name, How.PATCHED)
        elif _DEFINES_ENVIRONMENT.search(definer):
            yield Definition(Category.ENVIRONMENT, name, How.DEFINED if depth == 0 else How.NESTED)
