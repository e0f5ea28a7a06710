"""Replaces a paper's own macros in a cut with what they stand for, and takes out comments and labels.

The work is bounded: by steps, by the size of the result and by the depth of macros within macros. So a macro
that contains itself, or one that doubles with every step, ends with an error and not with the memory.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass

from i2s_collect.tex.macros import Macro, bracket_end
from i2s_collect.tex.scanner import Conditionals, Scanner, TexToken, TokenKind

#: The most macros that are expanded in one cut.
MAX_EXPANSIONS = 2_000
#: The most characters of a cut once it is expanded.
MAX_EXPANDED = 40_000
#: The most macros whose expansion is under way at once.
MAX_DEPTH = 100
#: The longest name of a command that is told from the letters after it.
MAX_WORD = 100
#: The most characters that are read to expand one cut, over and over those of arguments within arguments.
MAX_READ = 200_000

_WHITE = re.compile(r"[ \t\r]*(?:\n(?![ \t\r]*\n)[ \t\r]*)?")
_LINE_END = re.compile(r"[ \t\r]*\n")
_BLANK = re.compile(r"(?:\s|%[^\n]*(?:\n|\Z))*")
_MARK = re.compile(r"\\(?:.|\Z)|%[^\n]*|[{}]", re.DOTALL)
_PARAMETER = re.compile(r"(\\[A-Za-z]+)?#([1-9])|\\(?:[A-Za-z]+|.|\Z)", re.DOTALL)
_WORD_AT_END = re.compile(r"\\[A-Za-z]+\Z")
_COMMAND = re.compile(r"\\(?:[A-Za-z]+|.|\Z)", re.DOTALL)
_PUNCTUATION = frozenset(".,;:!?)]}/'-~")


class ExpansionError(Exception):
    """The macros of a paper cannot be expanded within bounds; the message says why."""


@dataclass(frozen=True, slots=True)
class Expanded:
    """A cut whose macros are expanded."""

    #: Text without comments, false branches and labels.
    text: str
    #: Macros that were expanded.
    count: int
    #: Characters that were read for that.
    read: int


def expand(
    text: str,
    lookup: Callable[[str], Macro | None],
    own: Collection[str] = (),
    conditionals: Conditionals | None = None,
) -> Expanded:
    """Return a cut with the paper's macros expanded.

    Args:
        text: TeX source.
        lookup: Returns the macro of a name, or None; environments are "begin NAME" and "end NAME".
        own: Names that the cut defines itself, which stay.
        conditionals: Conditionals of the paper.

    Raises:
        ExpansionError: The result or the work would be too large, or an argument is missing.
    """
    return _Expander(text, lookup, own, conditionals).run()


class _Expander:
    """Expands one cut: a stack of scanners, that of the innermost macro last."""

    def __init__(
        self,
        text: str,
        lookup: Callable[[str], Macro | None],
        own: Collection[str],
        conditionals: Conditionals | None,
    ) -> None:
        self._lookup, self._own, self._conditionals = lookup, frozenset(own), conditionals
        self._frames = [Scanner(text, conditionals)]
        self._parts: list[str] = []
        self._size = self._count = self._read = 0
        self._after_word = False

    def run(self) -> Expanded:
        while self._frames:
            self._step()
        return Expanded("".join(self._parts), self._count, self._read)

    def _step(self) -> None:
        scanner = self._frames[-1]
        begin = scanner.position
        token = scanner.next()
        if token is None:
            self._frames.pop()
            self._emit(scanner.text[begin:])
            return
        self._emit(scanner.text[begin : token.start])
        if token.kind is TokenKind.HIDDEN:
            self._hide(scanner, token)
        elif token.kind is TokenKind.WORD and token.name == "label":
            self._label(scanner, token)
        elif token.kind is TokenKind.WORD and token.name == "xspace" and len(self._frames) > 1:
            self._space()
        elif found := self._macro(token):
            self._expand(scanner, token, found)
        else:
            self._emit(scanner.text[token.start : token.end])
            self._after_word = token.kind is TokenKind.WORD

    def _emit(self, text: str) -> None:
        if not text:
            return
        if self._after_word and text[0].isalpha():
            text = " " + text
        self._after_word = False
        self._parts.append(text)
        self._size += len(text)
        if self._size > MAX_EXPANDED:
            raise ExpansionError(f"it has more than {MAX_EXPANDED} characters once its macros are expanded")

    def _macro(self, token: TexToken) -> Macro | None:
        if token.kind in (TokenKind.WORD, TokenKind.SYMBOL):
            name = token.name
        elif token.kind in (TokenKind.BEGIN, TokenKind.END):
            name = f"{token.kind.name.lower()} {token.name}"
        else:
            return None
        if name in self._own:
            return None
        macro = self._lookup(name)
        return None if macro is None or macro.is_opaque else macro

    def _expand(self, scanner: Scanner, token: TexToken, macro: Macro) -> None:
        self._count += 1
        if self._count > MAX_EXPANSIONS:
            raise ExpansionError(f"more than {MAX_EXPANSIONS} macros are expanded")
        body = macro.body
        if macro.parameters:
            arguments, starred = self._arguments(token.name, macro)
            body = macro.starred_body if starred else macro.body
            body = _filled(body, arguments, MAX_EXPANDED)
        elif token.kind is TokenKind.WORD:
            self._skip_white(scanner)
        self._read += len(body)
        self._check_read()
        if macro.is_final:
            self._emit(body)
            self._after_word = bool(_WORD_AT_END.match(body))
            return
        while self._frames and self._at_end(self._frames[-1]):
            self._frames.pop()
        if len(self._frames) > MAX_DEPTH:
            raise ExpansionError(f"its macros are nested more than {MAX_DEPTH} deep")
        self._frames.append(Scanner(body, self._conditionals))

    def _arguments(self, name: str, macro: Macro) -> tuple[list[str], bool]:
        arguments: list[str] = []
        starred = False
        defaults = iter(macro.defaults)
        for parameter in macro.parameters:
            if parameter == "s":
                starred = self._star()
            elif parameter == "o":
                value = self._optional()
                arguments.append(next(defaults) if value is None else value)
            else:
                arguments.append(self._argument(name))
        return arguments, starred

    def _next_frame(self) -> Scanner | None:
        """Return the scanner of what comes next, after blanks and ended macros, or None at the end."""
        while self._frames:
            scanner = self._frames[-1]
            match = _BLANK.match(scanner.text, scanner.position)
            position = match.end() if match else scanner.position
            self._read += position - scanner.position
            if position < len(scanner.text):
                scanner.position = position
                return scanner
            if len(self._frames) == 1:
                return None
            self._frames.pop()
        return None

    def _star(self) -> bool:
        scanner = self._next_frame()
        if scanner is None or not scanner.text.startswith("*", scanner.position):
            return False
        scanner.position += 1
        return True

    def _optional(self) -> str | None:
        scanner = self._next_frame()
        if scanner is None or not scanner.text.startswith("[", scanner.position):
            return None
        start = scanner.position
        end = bracket_end(scanner.text, start, lambda at: self._closing(scanner.text, at))
        if end is None:
            return None
        scanner.position = end
        return scanner.text[start + 1 : end - 1]

    def _argument(self, name: str) -> str:
        scanner = self._next_frame()
        if scanner is None:
            raise ExpansionError(f"\\{name} lacks an argument")
        text, start = scanner.text, scanner.position
        if text[start] == "{":
            end = self._closing(text, start)
            if end is None:
                raise ExpansionError(f"an argument of \\{name} has no end")
            scanner.position = end + 1
            return text[start + 1 : end]
        if text[start] in "}&$":
            raise ExpansionError(f"\\{name} lacks an argument")
        match = _COMMAND.match(text, start)
        scanner.position = match.end() if match else start + 1
        return text[start : scanner.position]

    def _closing(self, text: str, opening: int) -> int | None:
        depth = 0
        for mark in _MARK.finditer(text, opening):
            depth += 1 if mark[0] == "{" else -1 if mark[0] == "}" else 0
            if depth == 0:
                self._read += mark.end() - opening
                self._check_read()
                return mark.start()
        self._read += len(text) - opening
        self._check_read()
        return None

    def _check_read(self) -> None:
        if self._read > MAX_READ:
            raise ExpansionError("its macros have too many arguments within arguments")

    def _hide(self, scanner: Scanner, token: TexToken) -> None:
        """Leave out a token that TeX never typesets, so that the lines around it mean the same."""
        text = scanner.text
        before = "".join(self._parts[-2:]).rstrip(" \t")
        if not text.startswith("%", token.start):
            return
        if not before or before.endswith("\n"):
            self._strip_indentation()
            scanner.position = token.end + text.startswith("\n", token.end)
        elif text.startswith("\n", token.end) and not self._parts[-1].endswith((" ", "\t")):
            self._emit("%")

    def _label(self, scanner: Scanner, token: TexToken) -> None:
        """Leave out a label, with its line if nothing else is on it."""
        scanner.position = token.end
        self._argument("label")
        rest = self._frames[-1] if self._frames else scanner
        match = _LINE_END.match(rest.text, rest.position)
        before = "".join(self._parts[-2:])
        if match and (not before.strip(" \t") or before.rstrip(" \t").endswith("\n")):
            self._strip_indentation()
            rest.position = match.end()

    def _strip_indentation(self) -> None:
        """Take back the blanks at the beginning of a line that goes."""
        if self._parts:
            self._parts[-1] = self._parts[-1].rstrip(" \t")

    def _space(self) -> None:
        r"""Emit what ``\xspace`` stands for."""
        scanner = self._next_visible()
        following = scanner.text[scanner.position] if scanner else ""
        if following and following not in _PUNCTUATION and not following.isspace():
            self._after_word = False
            self._emit(" ")

    def _next_visible(self) -> Scanner | None:
        for scanner in reversed(self._frames):
            if not self._at_end(scanner):
                return scanner
        return None

    def _skip_white(self, scanner: Scanner) -> None:
        match = _WHITE.match(scanner.text, scanner.position)
        if match:
            scanner.position = match.end()

    @staticmethod
    def _at_end(scanner: Scanner) -> bool:
        return scanner.position >= len(scanner.text)


def _filled(body: str, arguments: list[str], limit: int) -> str:
    """Return a body with its arguments."""
    size = sum(body.count(f"#{number + 1}") * len(one) for number, one in enumerate(arguments))
    if len(body) + size > limit:
        raise ExpansionError(f"it has more than {limit} characters once its macros are expanded")

    def value(match: re.Match[str]) -> str:
        if match[2] is None or int(match[2]) > len(arguments):
            return match[0]
        argument = arguments[int(match[2]) - 1]
        word = match[1] or ""
        if word and argument[:1].isalpha():
            word += " "
        following = body[match.end() : match.end() + 1]
        joined = following.isalpha() and _WORD_AT_END.search(argument[-MAX_WORD:])
        return f"{word}{argument} " if joined else word + argument

    return _PARAMETER.sub(value, body)
