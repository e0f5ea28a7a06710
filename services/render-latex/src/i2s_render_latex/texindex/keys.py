r"""Which names a TeX file adds to pgf: keys, shapes, arrow tips, decorations, patterns and so on.

Keys are recorded below their root: ``/tikz/on grid`` as "on grid", because the same key is
asked for under different roots (pgfplots falls back to /tikz, and error messages name that).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .definitions import Category, Definition, How
from .source import with_depth

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
_NAMED = re.compile(
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
    for match, depth in with_depth(text, _HANDLED.finditer(text)):
        if _MAKING.fullmatch(match[2]):
            # Keys stand in the braces of \tikzset or \pgfkeys, so they are at depth 1.
            yield from _named(match[1], How.DEFINED if depth <= 1 else How.NESTED)
    for pattern in (_SET_BY_COMMAND, _DECLARED, _NAMED):
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
