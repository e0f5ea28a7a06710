"""The macros that a paper defines: how definitions are read, and which of them hold at each place."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field

from i2s_collect.tex.scanner import Braces, Scanner, TokenKind, words

#: The most parameters of a macro, as TeX has it.
MAX_PARAMETERS = 9


@dataclass(frozen=True, slots=True)
class Macro:
    r"""A macro that a paper defines."""

    #: What a use is replaced with; ``#1`` stands for an argument.
    body: str = ""
    #: One letter each: "m" for an argument, "o" for an optional one, "s" for a star.
    parameters: str = ""
    #: Defaults of optional arguments, in their order.
    defaults: tuple[str, ...] = ()
    #: Whether the body is not looked through for other macros, as after ``\let``.
    is_final: bool = False
    #: Whether it cannot be expanded.
    is_opaque: bool = False
    #: The body of a use with a star; only with the parameter "s".
    starred_body: str = ""
    #: Environments that the body begins and does not end.
    opens: tuple[str, ...] = ()
    #: Environments that the body ends and did not begin.
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
    """The macros of a paper over time; time is counted in definitions."""

    #: The time.
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


_BLANK = re.compile(r"(?:\s|%[^\n]*(?:\n|\Z))*")
_COMMAND = re.compile(r"\\([A-Za-z@]+|[^A-Za-z@])")
_COUNT = re.compile(r"\[\s*([1-9])\s*\]|\[\s*(0)\s*\]")
_SIMPLE_PARAMETERS = re.compile(r"((?:#[1-9])*)[ \t]*(?=\{)")
_BRACKET_MARK = re.compile(r"\\.|[{}\]]", re.DOTALL)
#: The longest text between brackets, in characters.
MAX_BRACKETED = 1_000
#: The longest text of parameters of a ``\def`` that is looked through for its body, in characters.
MAX_PARAMETER_TEXT = 200


@dataclass(frozen=True, slots=True)
class Reading:
    """Where a definition is read."""

    #: The source.
    text: str
    #: Braces of the source.
    braces: Braces
    #: Macros to which it is added.
    macros: MacroTable
    #: Number of open groups.
    depth: int

    def blank(self, position: int) -> int:
        """Return the position after blanks and comments."""
        match = _BLANK.match(self.text, position)
        return match.end() if match else position

    def group(self, position: int) -> tuple[str, int] | None:
        """Return the content of the group that comes next and where it ends, or None."""
        position = self.blank(position)
        if not self.text.startswith("{", position):
            return None
        closing = self.braces.closing(position)
        return None if closing is None else (self.text[position + 1 : closing], closing + 1)

    def bracket(self, position: int) -> tuple[str, int] | None:
        """Return the content of the brackets that come next and where they end, or None."""
        position = start = self.blank(position)
        if not self.text.startswith("[", position):
            return None
        end = bracket_end(self.text, start, self.braces.closing)
        return None if end is None else (self.text[start + 1 : end - 1], end)

    def star(self, position: int) -> int:
        """Return the position after a star, if one comes next."""
        after = self.blank(position)
        return after + 1 if self.text.startswith("*", after) else position

    def command(self, position: int) -> tuple[str, int] | None:
        """Return the name of the command that comes next, in braces or not, and where that ends."""
        position = self.blank(position)
        braced = self.text.startswith("{", position)
        if braced:
            position = self.blank(position + 1)
        match = _COMMAND.match(self.text, position)
        if match is None:
            return None
        end = match.end()
        if braced:
            end = self.blank(end)
            if not self.text.startswith("}", end):
                return None
            end += 1
        return match[1], end

    def define(self, name: str, value: Macro, *, everywhere: bool = False) -> None:
        """Add a macro."""
        self.macros.define(name, value, 0 if everywhere else self.depth)


def bracket_end(text: str, start: int, closing: Callable[[int], int | None]) -> int | None:
    """Return where the bracket that opens at ``start`` is closed, or None.

    Args:
        text: The source.
        start: Start of the bracket.
        closing: Tells where a brace is closed.
    """
    position, last = start + 1, min(len(text), start + MAX_BRACKETED)
    if text.find("]", position, last) < 0:
        return None
    while found := _BRACKET_MARK.search(text, position, last):
        position = found.end()
        if found[0] == "]":
            return position
        if found[0] == "}":
            return None
        if found[0] == "{":
            end = closing(found.start())
            if end is None:
                return None
            position = end + 1
    return None


def read_definition(word: str, position: int, reading: Reading) -> int | None:
    """Add the macro that a definition defines and return where the definition ends.

    Args:
        word: The command that defines, without backslash.
        position: Position after the command.
        reading: Where it is read.

    Returns:
        None if the word defines nothing, or what follows is not a definition.
    """
    reader = DEFINITIONS.get(word)
    return reader(word, position, reading) if reader else None


def _new_command(word: str, position: int, reading: Reading) -> int | None:
    command = reading.command(reading.star(position))
    if command is None:
        return None
    name, position = command
    parameters, defaults, position = _parameters(position, reading)
    body = reading.group(position)
    if body is None:
        return None
    if word != "providecommand" or reading.macros.get(name) is None:
        reading.define(name, macro(body[0], parameters, defaults))
    return body[1]


def _parameters(position: int, reading: Reading) -> tuple[str, tuple[str, ...], int]:
    """Return the parameters of a LaTeX definition, their defaults, and where they end."""
    count = _COUNT.match(reading.text, reading.blank(position))
    if count is None:
        return "", (), position
    parameters = "m" * int(count[1] or 0)
    default = reading.bracket(count.end())
    if default is None:
        return parameters, (), count.end()
    return "o" + parameters[1:], (default[0],), default[1]


def _def(word: str, position: int, reading: Reading) -> int | None:
    match = _COMMAND.match(reading.text, reading.blank(position))
    if match is None:
        return None
    everywhere = word in ("gdef", "xdef")
    simple = _SIMPLE_PARAMETERS.match(reading.text, match.end())
    if simple is None:
        start = reading.text.find("{", match.end(), match.end() + MAX_PARAMETER_TEXT)
        body = reading.group(start) if start >= 0 else None
        if body is None:
            return None
        reading.define(match[1], OPAQUE, everywhere=everywhere)
        return body[1]
    body = reading.group(simple.end())
    if body is None:
        return None
    count = len(simple[1]) // 2
    in_order = simple[1] == "".join(f"#{number + 1}" for number in range(count))
    value = macro(body[0], "m" * count) if in_order and word in ("def", "gdef") else OPAQUE
    reading.define(match[1], value, everywhere=everywhere)
    return body[1]


def _let(word: str, position: int, reading: Reading) -> int | None:
    match = _COMMAND.match(reading.text, reading.blank(position))
    if match is None:
        return None
    position = reading.blank(match.end())
    if reading.text.startswith("=", position):
        position = reading.blank(position + 1)
    other = _COMMAND.match(reading.text, position)
    if other is None:
        character = reading.text[position : position + 1]
        value = macro(character, is_final=True) if character.strip("#%{}\\") else OPAQUE
        reading.define(match[1], value)
        return position + len(character)
    known = reading.macros.get(other[1])
    reading.define(match[1], known or macro("\\" + other[1], is_final=True))
    return other.end()


def _operator(word: str, position: int, reading: Reading) -> int | None:
    after = reading.star(position)
    command = reading.command(after)
    body = reading.group(command[1]) if command else None
    if command is None or body is None:
        return None
    star = "*" if after != position else ""
    reading.define(command[0], macro(rf"\operatorname{star}{{{body[0]}}}"))
    return body[1]


def _paired_delimiter(word: str, position: int, reading: Reading) -> int | None:
    command = reading.command(position)
    left = reading.group(command[1]) if command else None
    right = reading.group(left[1]) if left else None
    if command is None or left is None or right is None:
        return None
    plain = rf"\mathopen{{#1{left[0]}}} #2 \mathclose{{#1{right[0]}}}"
    stretched = rf"\left{left[0]} #2 \right{right[0]}"
    reading.define(command[0], macro(plain, "som", ("",), starred_body=stretched))
    return right[1]


def _document_command(word: str, position: int, reading: Reading) -> int | None:
    command = reading.command(position)
    arguments = reading.group(command[1]) if command else None
    body = reading.group(arguments[1]) if arguments else None
    if command is None or arguments is None or body is None:
        return None
    shape = _shape(arguments[0])
    reading.define(command[0], macro(body[0], *shape) if shape else OPAQUE)
    return body[1]


def _shape(specification: str) -> tuple[str, tuple[str, ...]] | None:
    """Return the parameters of an xparse specification of m and O alone, and their defaults."""
    parameters, defaults = "", []
    rest = specification.replace("+", "").strip()
    while rest:
        if rest[0] == "m":
            parameters, rest = parameters + "m", rest[1:].lstrip()
            continue
        match = re.match(r"O\s*\{([^{}]*)\}\s*", rest)
        if match is None:
            return None
        parameters += "o"
        defaults.append(match[1])
        rest = rest[match.end() :]
    return parameters, tuple(defaults)


def _environment(word: str, position: int, reading: Reading) -> int | None:
    name = reading.group(reading.star(position))
    if name is None:
        return None
    position = name[1]
    parameters, defaults, position = _parameters(position, reading)
    begin = reading.group(position)
    end = reading.group(begin[1]) if begin else None
    if begin is None or end is None:
        return None
    first, last = macro(begin[0], parameters, defaults, is_part=True), macro(end[0], is_part=True)
    if first.is_opaque or last.is_opaque:
        first = last = OPAQUE
    reading.define(f"begin {name[0].strip()}", first)
    reading.define(f"end {name[0].strip()}", last)
    return end[1]


def _theorem(word: str, position: int, reading: Reading) -> int | None:
    name = reading.group(reading.star(position))
    if name is None:
        return None
    for side in ("begin", "end"):
        reading.define(f"{side} {name[0].strip()}", OPAQUE)
    return name[1]


#: What reads the definition of each command that defines.
DEFINITIONS: dict[str, Callable[[str, int, Reading], int | None]] = {
    **dict.fromkeys(("newcommand", "renewcommand", "providecommand", "DeclareRobustCommand"), _new_command),
    **dict.fromkeys(("def", "gdef", "edef", "xdef"), _def),
    "let": _let,
    "DeclareMathOperator": _operator,
    "DeclarePairedDelimiter": _paired_delimiter,
    **dict.fromkeys(
        ("NewDocumentCommand", "RenewDocumentCommand", "DeclareDocumentCommand", "ProvideDocumentCommand"),
        _document_command,
    ),
    **dict.fromkeys(("newenvironment", "renewenvironment"), _environment),
    "newtheorem": _theorem,
}
