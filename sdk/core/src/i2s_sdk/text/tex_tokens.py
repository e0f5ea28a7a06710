r"""LaTeX as tokens: as TeX reads it, and in a normal form in which spellings of one formula are equal.

The normal form drops comments and blanks, uses one name of each of SYNONYMS, has one kind of unnumbered
display (``$$``, ``\[``, ``displaymath``, ``equation*``), no braces around a single letter, digit or command,
and none around what stands alone after ``^`` or ``_``, and puts subscripts before superscripts. As a rule two
texts of one normal form look alike; texts that look alike may have different normal forms.
"""

from __future__ import annotations

import re
from typing import TypeAlias

#: A token, or the tokens of a group in braces.
Node: TypeAlias = "str | list[Node]"

#: Names that LaTeX has twice, by the one that is replaced.
SYNONYMS = {
    r"\to": r"\rightarrow",
    r"\gets": r"\leftarrow",
    r"\le": r"\leq",
    r"\ge": r"\geq",
    r"\ne": r"\neq",
    r"\land": r"\wedge",
    r"\lor": r"\vee",
    r"\lnot": r"\neg",
    r"\owns": r"\ni",
    r"\lbrace": r"\{",
    r"\rbrace": r"\}",
    r"\lbrack": "[",
    r"\rbrack": "]",
    r"\vert": "|",
    r"\Vert": r"\|",
    r"\(": "$",
    r"\)": "$",
}

#: What begins and ends an unnumbered display.
_DISPLAY = "$$"
_DISPLAYS = {
    r"\[": _DISPLAY,
    r"\]": _DISPLAY,
    r"\begin{displaymath}": _DISPLAY,
    r"\end{displaymath}": _DISPLAY,
    r"\begin{equation*}": _DISPLAY,
    r"\end{equation*}": _DISPLAY,
}

_TOKEN = re.compile(
    r"(?P<comment>%[^\n]*\n?[ \t]*)"
    r"|(?P<blank>\s+)"
    r"|\\(?:begin|end)\s*\{[^{}\\]*\}"
    r"|\\[A-Za-z]+\*?"
    r"|\\."
    r"|\$\$"
    r"|.",
    re.DOTALL,
)
_SPACES = re.compile(r"\s+")


def tex_tokens(source: str) -> list[str]:
    r"""Return the tokens of LaTeX source as TeX reads it in mathematics: blanks and comments are none.

    A command is one token, ``\begin{…}`` and ``\end{…}`` with the name of the environment, every other
    character one of its own.
    """
    return [
        _SPACES.sub("", token.group()) if token.group().startswith(("\\begin", "\\end")) else token.group()
        for token in _TOKEN.finditer(source)
        if token.lastgroup is None
    ]


def normal_tex_tokens(source: str) -> list[str]:
    """Return the tokens of the normal form of LaTeX source."""
    names = {**SYNONYMS, **_DISPLAYS}
    stack: list[list[Node]] = [[]]
    for piece in tex_tokens(source):
        if piece == "{":
            stack.append([])
        elif piece == "}" and len(stack) > 1:
            group = _normal(stack.pop())
            stack[-1].append(group)
        else:
            stack[-1].append(names.get(piece, piece))
    nodes = stack[0]
    for unclosed in stack[1:]:
        nodes += ["{", *unclosed]
    return _flat(_normal(nodes))


def _normal(nodes: list[Node]) -> list[Node]:
    """Return the tokens of a group with plain arguments, subscripts before superscripts."""
    plain: list[Node] = []
    for node in nodes:
        after_script = bool(plain) and plain[-1] in ("^", "_")
        plain.append(_without_braces(node, after_script=after_script))
    ordered: list[Node] = []
    at = 0
    while at < len(plain):
        both = plain[at : at + 4]
        if len(both) == 4 and (both[0], both[2]) == ("^", "_"):
            ordered += [both[2], both[3], both[0], both[1]]
            at += 4
        else:
            ordered.append(plain[at])
            at += 1
    return ordered


def _without_braces(node: Node, *, after_script: bool) -> Node:
    while isinstance(node, list) and len(node) == 1:
        (only,) = node
        if isinstance(only, str) and not (after_script or only.isalnum() or only.startswith("\\")):
            break
        node = only
    return node


def _flat(nodes: list[Node]) -> list[str]:
    """Return the tokens of a tree, with braces around its groups; trees may be deep."""
    texts: list[str] = []
    waiting: list[Node] = list(reversed(nodes))
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            texts.append(node)
        else:
            waiting += ["}", *reversed(node), "{"]
    return texts
