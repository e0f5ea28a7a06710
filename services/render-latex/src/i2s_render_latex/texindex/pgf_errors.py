r"""From an error message of the TikZ family to the name that the index is asked for.

| message of pgf, TikZ or pgfplots                                 | name                          |
|------------------------------------------------------------------|-------------------------------|
| I do not know the key '/tikz/on grid' …                          | /tikz/on grid                 |
| I do not know the key '/tikz/"x"' …                              | quotes                        |
| I do not know the key '/tikz/decoration', to which you passed    | the decoration: brace         |
|   'brace,amplitude=5pt' …                                        |                               |
| Unknown shape \`\`star.'' …                                      | star                          |
| Unknown arrow tip kind 'Stealth'.                                | Stealth                       |
| Unknown function \`of' (in 'of a').                              | positioning                   |
| Unknown operator \`o' or \`of' (in '1cm of a').                  | positioning                   |
| You need to say \usetikzlibrary{calc} …, Please load             | the library: calc             |
|   \usepgfplotslibrary{fillbetween} …                             |                               |
| You need to load a decoration library.                           | the decoration in the context |
|                                                                  |   that follows, or decoration |
| I do not know the decoration 'x', … the pattern, fading, shading | x                             |
| Sorry, the requested layer 'background' could not be found       | background                    |
| Unknown coordinate system 'pic'.                                 | pic                           |
| there is no such cycle list named Set1                           | cycle list/Set1               |
| I did not find the tikz library 'x'                              | x                             |

A key that is unknown because it is misspelled gives its name too; the index then has no provider.
"""

from __future__ import annotations

import re
from collections.abc import Callable

#: TeX breaks lines of its log there, unless a setting says otherwise.
_LOG_WIDTH = 79
_FAMILY = re.compile(
    r"Package (?:pgfkeys|pgf|PGF Math|tikz|pgfplots|pgfplotstable)\w* Error:\s*(.*)", re.DOTALL
)
_CONTINUATION = re.compile(r"\n\((?:pgfkeys|pgf|tikz|pgfplots)\)\s*")

_DECORATION_KEY = re.compile(
    r"I do not know the key '/tikz/decoration', to which you passed '(?:\s*name\s*=)?([^',=]+)"
)
_QUOTED_KEY = re.compile(r"I do not know the key '(?:/tikz/)?[^'/]*\"")
_KEY = re.compile(r"I do not know the key '([^']+)'")
_LIBRARY = re.compile(
    r"(?:[Yy]ou need to (?:say|load)|Please load)\s*\\use(?:tikz|pgfplots|pgf)library\s*\{([^}]+)\}"
)
_ALTERNATIVE = re.compile(r"or\s*\\usepgfplotslibrary\s*\{([^}]+)\}")
_PLACEMENT = re.compile(r"Unknown (?:function|operator) .*\(in '(?:[^']*\s)?of\s[^']*'\)", re.DOTALL)
_MISSING_DECORATION = re.compile(r"You need to load a decoration library")
#: TeX cuts the line that it shows at the left, so that the key may have lost its beginning.
_DECORATION = re.compile(r"(?:decoration|\.\.\.[a-z]*)\s*=\s*\{?\s*(?:name\s*=\s*)?([A-Za-z][A-Za-z ]*)")
_NAMED = (
    re.compile(r"Unknown shape [`']*([^.'`]+)"),
    re.compile(r"Unknown arrow tip kind '([^']*[A-Za-z][^']*)'"),
    re.compile(r"requested layer '([^']+)' could not be found"),
    re.compile(r"Unknown coordinate system '([^']+)'"),
    re.compile(
        r"(?:I do not know the|Undefined|Unknown) (?:meta-)?(?:decoration|pattern|fading|shading|snake)\s*"
        r"[`'\"]+([^'`\"]+)"
    ),
    re.compile(r"I did not find the (?:tikz|pgf|pgfplots) library '([^']+)'"),
    re.compile(r"'patch type=([^']+)' is not defined"),
)
_CYCLE_LIST = re.compile(r"no such cycle list named ([^\s.]+)")


def pgf_undefined(message: str) -> str | None:
    """Return what an error message of pgf, TikZ or pgfplots says is undefined.

    Args:
        message: The message from "Package … Error:" on, with or without the "! " before it; lines that
            TeX broke at the width of its log are joined. Lines after it, up to the line of the source,
            help if the message itself names nothing.

    Returns:
        What to give to `TexIndex.providers_of_key`; None for other messages and if a TikZ or
        pgfplots error is not about something undefined.
    """
    family = _FAMILY.search(_joined(message))
    if family is None:
        return None
    said = family[1]
    for find in _FINDERS:
        name = find(said)
        if name:
            return " ".join(name.split())
    return None


def _joined(message: str) -> str:
    lines = _CONTINUATION.sub(" ", message).split("\n")
    return "".join(line if len(line) == _LOG_WIDTH else line + "\n" for line in lines)


def _decoration(said: str) -> str | None:
    if not _MISSING_DECORATION.match(said):
        return None
    found = _DECORATION.search(said)
    return found[1] if found else "decoration"


def _library(said: str) -> str | None:
    found = _LIBRARY.search(said)
    if found is None:
        return None
    # pgfplots offers the TikZ library or its own, which loads that one too.
    better = _ALTERNATIVE.search(said)
    return (better or found)[1]


def _first(pattern: re.Pattern[str], name: str = "") -> Callable[[str], str | None]:
    """Return a finder of what a pattern's group matches, or of a fixed name if it matches."""

    def find(said: str) -> str | None:
        found = pattern.search(said)
        if found is None:
            return None
        return name.format(found[1]) if name and pattern.groups else name or found[1]

    return find


#: Finders in the order of trust: a library that is named is surer than a key.
_FINDERS: tuple[Callable[[str], str | None], ...] = (
    _decoration,
    _library,
    _first(_PLACEMENT, "positioning"),
    _first(_DECORATION_KEY),
    _first(_QUOTED_KEY, "quotes"),
    _first(_KEY),
    *(_first(pattern) for pattern in _NAMED),
    _first(_CYCLE_LIST, "cycle list/{}"),
)
