"""The commands, environments and names of pgf that a TeX file defines, and how sure that is.

TeX is a language whose syntax programs can change, so this reads idioms, not the language: a
control word that by its name defines something, followed by the name that it defines.

Keys of pgf are recorded below their root: ``/tikz/on grid`` as "on grid", because the same key is
asked for under different roots (pgfplots falls back to /tikz, and error messages name that).
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

_COMMENT = re.compile(r"%[^\n]*(?:\n[ \t]*)?")
_END = re.compile(r"^\\endinput\b(?![^\n]*\\fi)(?!\s*\\fi)", re.MULTILINE)

#: Stands for an escaped character, so that positions of everything else stay comparable.
_ESCAPED = "\x01\x01"


def clean(text: str) -> str:
    r"""Return ``text`` without comments and with escaped braces, percents and backslashes blanked.

    What follows an unconditional ``\endinput`` at the start of a line is left out too: TeX does
    not read it, and packages keep documentation there.
    """
    for escape in ("\\\\", "\\%", "\\{", "\\}"):
        text = text.replace(escape, _ESCAPED)
    text = _COMMENT.sub("", text)
    end = _END.search(text)
    return text[: end.start()] if end else text


def with_depth(text: str, matches: Iterable[re.Match[str]]) -> Iterator[tuple[re.Match[str], int]]:
    """Yield each match with the number of groups that are open where it starts.

    Depth 0 is code that runs when the file is loaded; deeper code runs later, or perhaps never.

    Args:
        text: Cleaned text.
        matches: Matches in ``text``, in order of their start.
    """
    position = depth = 0
    for match in matches:
        start = match.start()
        depth += text.count("{", position, start) - text.count("}", position, start)
        depth = max(depth, 0)
        position = start
        yield match, depth


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


# Possessive: a letter follows any shorter control word, so that none matches and none is tried.
_COMMAND = re.compile(r"\\([A-Za-z@_:]++)(?=\s*+\*?+\s*+\{?+\s*+\\(?!csname)([A-Za-z]++)(?![A-Za-z@_:]))")
_DEFINED_BY_NAME = re.compile(
    r"\\(?:@namedef|cs[gex]?def|csxdef|newrobustcmd|[gex]?def\s*\\csname|let\s*\\csname|csletcs|cslet"
    r"|cs_(?:new|set|gset)[a-z_]*:c[A-Za-z]*)\s*\{?\s*([A-Za-z]+)\s*(?:\}|\\endcsname)"
)
_NEWIF = re.compile(r"\\newif\s*\\if([A-Za-z]+)(?![A-Za-z@_:])")
_ENVIRONMENT = re.compile(
    r"\\(?=[A-Za-z@_]++[\s*]*+[\[{])"  # few control words have an argument in braces or brackets
    r"([A-Za-z@_]*(?:[Ee]nviron|theorem|TheoremType|tcolorbox|TColorBox|tcblisting|TCBListing|tcbinputlisting"
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
    for match, depth in with_depth(text, _DEFINED_BY_NAME.finditer(text)):
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


#: A key with the handler that makes it: ``on grid/.is if``.
_HANDLED = re.compile(r"(?:^|[{,=\n])[ \t]*([^\s{},=\\#%][^{},=\\#%\n]*?)[ \t]*/\.([a-z]+)", re.MULTILINE)
_SET_BY_COMMAND = re.compile(
    r"\\pgfkeys(?:def|edef|defnargs|edefnargs|defargs|edefargs|setvalue|let)\s*\{([^{}\\#]+)\}"
)
_MAKING = re.compile(r"style|e?code|initial|e?store|is|pic|tip|get|link|forward|default|alias|belongs|define")

#: Commands whose first braces hold the name of what they declare.
_DECLARED = re.compile(
    r"\\(?:pgfdeclare(?:shape|decoration|metadecoration|patternformonly|patterninherentlycolored|fading|layer"
    r"|plotmark|horizontalshading|verticalshading|radialshading|functionalshading|snake|lindenmayersystem|mask)"
    r"|pgfarrowsdeclare(?:reversed|alias|combine\*?|double|triple)?"
    r"|pgfplotsdeclarepatchclass|pgfplotscreateplotcyclelist|pgfplotscreatecolormap"
    r"|tikzdeclarecoordinatesystem|tikzdeclarepic|tikzoption|pgfdvdeclarestylesheet)"
    r"\s*(?:\[[^\]]*\])?\s*\{\s*([^{}\\#]+?)\s*\}(?:\s*\{\s*([^{}\\#]+?)\s*\})?"
)
#: Commands that take the name as a key of their argument: ``\pgfdeclarearrow{ name = Stealth, …}``.
_NAME_AS_KEY = re.compile(
    r"\\(?:pgfdeclarearrow|pgfdeclarepattern|tikzdeclarepattern)\s*\{[^{}]*?name\s*=\s*\{?([^{},=\\#]+?)\s*[,}]"
    r"|\\begin\s*\{tikzfadingfrompicture\}\s*\[\s*name\s*=\s*([^\],]+?)\s*[\],]"
)
#: No key has a longer name; what is longer was read out of step.
_LONGEST = 80
_ROOT = re.compile(r"^/(?:tikz|pgf|pgfplots)/(?=.)")


def key_name(path: str) -> str | None:
    """Return the name under which a key path is recorded; None for keys outside tikz, pgf and pgfplots.

    Args:
        path: Path as in source or an error message: "/tikz/on grid", "on grid", "/tikz/pics/angle".
    """
    path = " ".join(path.split())
    shortened = _ROOT.sub("", path)
    if shortened.startswith("/") or not shortened:
        return None
    return shortened


def keys(text: str) -> Iterator[Definition]:
    """Yield the keys and other pgf names that a file defines.

    Args:
        text: Cleaned text of the file.
    """
    handled = _HANDLED.finditer(text) if "/." in text else ()  # few files have any; the search takes long
    for match, depth in with_depth(text, handled):
        if _MAKING.fullmatch(match[2]):
            # Keys stand in the braces of \tikzset or \pgfkeys, so they are at depth 1.
            yield from _named(match[1], How.DEFINED if depth <= 1 else How.NESTED)
    for pattern in (_SET_BY_COMMAND, _DECLARED, _NAME_AS_KEY):
        for match, depth in with_depth(text, pattern.finditer(text)):
            how = How.DEFINED if depth == 0 else How.NESTED
            second = match[2] if match.lastindex == 2 and match[0].startswith(r"\pgfarrows") else None
            for name in (match[1] or match[match.lastindex or 1], second):
                if name:
                    yield from _named(name, how)


def _named(path: str, how: How) -> Iterator[Definition]:
    name = key_name(path)
    if name is not None and len(name) <= _LONGEST:
        yield Definition(Category.KEY, name, how)
