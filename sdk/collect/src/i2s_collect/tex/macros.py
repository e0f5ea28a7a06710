r"""The macros that a paper defines, and which of them hold at each place.

Read are ``\newcommand`` and its relatives, ``\def`` with parameters that nothing delimits, ``\let``,
``\DeclareMathOperator``, ``\DeclarePairedDelimiter``, ``\NewDocumentCommand`` with arguments m and O alone,
and ``\newenvironment``. Whatever else defines a name makes it opaque: it stays as it is where it is used.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass, field

from i2s_collect.tex.scanner import Scanner, TokenKind, words

#: The most parameters of a macro, as TeX has it.
MAX_PARAMETERS = 9


@dataclass(frozen=True, slots=True)
class Macro:
    r"""A macro that a paper defines.

    Attributes:
        body: What a use is replaced with; ``#1`` stands for an argument.
        parameters: One letter each: "m" for an argument, "o" for an optional one, "s" for a star.
        defaults: Defaults of optional arguments, in their order.
        is_final: Whether the body is not looked through for other macros, as after ``\let``.
        is_opaque: Whether it cannot be expanded.
        starred_body: The body of a use with a star; only with the parameter "s".
        opens: Environments that the body begins and does not end.
        closes: Environments that the body ends and did not begin.
    """

    body: str = ""
    parameters: str = ""
    defaults: tuple[str, ...] = ()
    is_final: bool = False
    is_opaque: bool = False
    starred_body: str = ""
    opens: tuple[str, ...] = ()
    closes: tuple[str, ...] = ()


OPAQUE = Macro(is_opaque=True)


def macro(
    body: str,
    parameters: str = "",
    defaults: tuple[str, ...] = (),
    *,
    is_final: bool = False,
    starred_body: str = "",
    is_part: bool = False,
) -> Macro:
    """Return a macro; an opaque one if its body cannot stand in the body of a document.

    Args:
        body: What a use is replaced with.
        parameters: See ``Macro``.
        defaults: Defaults of optional arguments.
        is_final: See ``Macro``.
        starred_body: See ``Macro``.
        is_part: Whether it is one half of an environment, whose braces need not match.
    """
    if len(parameters) > MAX_PARAMETERS or "##" in body:
        return OPAQUE
    opens: list[str] = []
    closes: list[str] = []
    depth = 0
    scanner = Scanner(body, at_letter=True)
    while token := scanner.next():
        if token.kind is TokenKind.BEGIN:
            opens.append(token.name)
        elif token.kind is TokenKind.END:
            if opens and opens[-1] == token.name:
                opens.pop()
            else:
                closes.append(token.name)
        elif token.kind in (TokenKind.OPEN, TokenKind.CLOSE):
            depth += 1 if token.kind is TokenKind.OPEN else -1
        elif token.kind in (TokenKind.WORD, TokenKind.SYMBOL) and _is_internal(token.name):
            return OPAQUE
    if depth and not is_part:
        return OPAQUE
    return Macro(body, parameters, defaults, is_final, False, starred_body, tuple(opens), tuple(closes))


_INTERNAL = words(
    "def edef gdef xdef let futurelet expandafter csname global catcode newcommand renewcommand "
    "providecommand ifx NewDocumentCommand IfNoValueTF IfValueTF IfBooleanTF"
)


def _is_internal(name: str) -> bool:
    """Return whether a command cannot be used, or makes no sense, outside of packages and preambles."""
    return (len(name) > 1 and "@" in name) or name in _INTERNAL


@dataclass(slots=True)
class MacroTable:
    """The macros of a paper over time; time is counted in definitions.

    Attributes:
        now: The time.
    """

    now: int = 0
    _times: defaultdict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    _versions: defaultdict[str, list[Macro | None]] = field(default_factory=lambda: defaultdict(list))
    _undo: list[tuple[int, str, Macro | None]] = field(default_factory=list)

    def define(self, name: str, value: Macro | None, depth: int = 0) -> None:
        """Give a name a meaning until the group of a depth is left; None takes it away.

        Args:
            name: Name of a command without backslash, or "begin NAME" and "end NAME" of an environment.
            value: The macro.
            depth: Number of groups that are open; 0 for a definition that stays.
        """
        if depth:
            self._undo.append((depth, name, self.get(name)))
        self._set(name, value)

    def leave(self, depth: int) -> None:
        """Take back what was defined in groups that are not open any more.

        Args:
            depth: Number of groups that are still open.
        """
        while self._undo and self._undo[-1][0] > depth:
            _, name, before = self._undo.pop()
            self._set(name, before)

    def get(self, name: str) -> Macro | None:
        """Return the macro of a name now, or None."""
        versions = self._versions.get(name)
        return versions[-1] if versions else None

    def at(self, time: int, name: str) -> Macro | None:
        """Return the macro of a name at a time, or None."""
        index = bisect_right(self._times.get(name, ()), time)
        return self._versions[name][index - 1] if index else None

    def names(self) -> frozenset[str]:
        """Return every name that was ever defined."""
        return frozenset(self._versions)

    def _set(self, name: str, value: Macro | None) -> None:
        self.now += 1
        self._times[name].append(self.now)
        self._versions[name].append(value)
