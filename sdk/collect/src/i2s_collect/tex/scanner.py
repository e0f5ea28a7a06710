r"""Splits TeX source into tokens: what is code, what is verbatim text, and what TeX never typesets.

Category codes are those of LaTeX. ``\makeatletter`` is obeyed; any other change is left to the caller. All
methods together take time linear in the length of the source.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from dataclasses import dataclass, field
from enum import Enum, auto


def words(text: str) -> frozenset[str]:
    """Return the words of a text, for constants."""
    return frozenset(text.split())


#: Environments whose content is not read as TeX.
VERBATIM = words(
    "verbatim verbatim* Verbatim Verbatim* BVerbatim BVerbatim* LVerbatim LVerbatim* SaveVerbatim "
    "SaveVerbatim* lstlisting lstlisting* minted minted* filecontents filecontents*"
)
#: Environments whose content is dropped.
COMMENTS = frozenset({"comment"})
#: The longest argument of ``\verb`` and ``\url`` that is looked for, in characters.
MAX_VERBATIM_ARGUMENT = 2_000

_INLINE_VERBATIM = frozenset({"verb", "Verb", "lstinline", "mintinline"})
_LINKS = frozenset({"url", "path", "nolinkurl", "href"})
# What begins with "if" and is a macro with arguments, without \fi: of amssymb, ifthen and etoolbox.
_NO_CONDITIONALS = words(
    "iff ifthenelse ifbool iftoggle ifblank ifdef ifcsdef ifundef ifcsundef ifdefmacro ifcsmacro "
    "ifdefparam ifdefempty ifdefvoid ifcsempty ifcsvoid ifdefequal ifcsequal ifdefstring ifcsstring "
    "ifdefstrequal ifstrequal ifstrempty ifnumcomp ifnumequal ifnumgreater ifnumless ifnumodd "
    "ifdimcomp ifdimequal ifdimgreater ifdimless ifboolexpr ifboolexpe ifinlist ifinlistcs"
)

_REST = (
    r"|(?P<symbol>\\(?:[^A-Za-z]|\Z))"
    r"|(?P<comment>%[^\n]*)"
    r"|(?P<open>\{)|(?P<close>\})|(?P<dollar>\$)"
    r"|(?P<paragraph>\n[ \t\r]*(?=\n))"
)
_TOKEN = re.compile(r"(?P<word>\\[A-Za-z]+)" + _REST)
_TOKEN_WITH_AT = re.compile(r"(?P<word>\\[A-Za-z@]+)" + _REST)
_NAME = re.compile(r"\s*\{([^{}\\%\n]{1,80})\}")
_NEXT_WORD = re.compile(r"\s*\\[A-Za-z@]+")
_MARK = re.compile(r"\\(?:.|\Z)|%[^\n]*|[{}]", re.DOTALL)
_BRANCH = re.compile(r"\\(?P<name>if[A-Za-z@]*|else|fi|newif)(?![A-Za-z@])|\\[^A-Za-z]|%[^\n]*")


class TokenKind(Enum):
    """The kinds of tokens."""

    WORD = auto()
    SYMBOL = auto()
    BEGIN = auto()
    END = auto()
    OPEN = auto()
    CLOSE = auto()
    DOLLAR = auto()
    PARAGRAPH = auto()
    VERBATIM = auto()
    HIDDEN = auto()


_KINDS = {
    "word": TokenKind.WORD,
    "symbol": TokenKind.SYMBOL,
    "comment": TokenKind.HIDDEN,
    "open": TokenKind.OPEN,
    "close": TokenKind.CLOSE,
    "dollar": TokenKind.DOLLAR,
    "paragraph": TokenKind.PARAGRAPH,
}


@dataclass(frozen=True, slots=True)
class TexToken:
    r"""A token of TeX source."""

    #: HIDDEN is what is never typeset: a comment, a false branch. PARAGRAPH is an empty line.
    kind: TokenKind
    #: Its first character.
    start: int
    #: The character after its last.
    end: int
    #: Name of a control sequence without backslash, or of the environment that begins or ends.
    name: str = ""


@dataclass(slots=True)
class Conditionals:
    r"""The conditionals that a paper declares with ``\newif``, and whether they are true."""

    values: dict[str, bool] = field(default_factory=lambda: {"iffalse": False, "iftrue": True})

    def declare(self, name: str) -> None:
        """Add a conditional, which is false."""
        if name.startswith("if"):
            self.values[name] = False

    def assign(self, command: str) -> bool:
        r"""Obey a command such as ``\draftfalse`` and return whether it was one."""
        for suffix, value in (("true", True), ("false", False)):
            name = "if" + command.removesuffix(suffix)
            if command.endswith(suffix) and name in self.values and len(name) > 2:
                self.values[name] = value
                return True
        return False


class Scanner:
    """Yields the tokens of a source one by one; plain text between them is not a token.

    Args:
        text: The source.
        conditionals: Conditionals of the paper, shared by its files.
        at_letter: Whether "@" is a letter, as it is in packages and classes.

    Attributes:
        position: Where the next token is looked for. It may be moved forward.
    """

    def __init__(
        self, text: str, conditionals: Conditionals | None = None, *, at_letter: bool = False
    ) -> None:
        self.text = text
        self.position = 0
        self.at_letter = at_letter
        self._conditionals = conditionals or Conditionals()
        self._branches: list[bool | None] = []  # of the conditionals that are open, what is known of them

    def next(self) -> TexToken | None:
        """Return the next token, or None at the end."""
        match = (_TOKEN_WITH_AT if self.at_letter else _TOKEN).search(self.text, self.position)
        if match is None:
            self.position = len(self.text)
            return None
        self.position = match.end()
        kind = _KINDS[match.lastgroup or "symbol"]
        if kind is TokenKind.WORD:
            return self._word(match[0][1:], match.start())
        return TexToken(kind, match.start(), match.end(), match[0][1:] if kind is TokenKind.SYMBOL else "")

    def _word(self, name: str, start: int) -> TexToken:
        if name in ("begin", "end"):
            return self._delimiter(name, start)
        if name in _INLINE_VERBATIM or name in _LINKS:
            return self._argument(name, start)
        if name == "makeatletter":
            self.at_letter = True
        elif name == "makeatother":
            self.at_letter = False
        elif self._branch(name):
            return TexToken(TokenKind.HIDDEN, start, self.position)
        return TexToken(TokenKind.WORD, start, self.position, name)

    def _branch(self, name: str) -> bool:
        """Return whether a command is part of a conditional whose value is known; skip its false branch."""
        known = bool(self._branches) and self._branches[-1] is True
        if name == "fi":
            if self._branches:
                self._branches.pop()
            return known
        if name == "else":
            if known:
                self._skip_branch()
            return known
        if not is_conditional(name):
            return False
        value = self._conditionals.values.get(name)
        self._branches.append(value)
        if value is False:
            self._skip_branch()
        return value is not None

    def _delimiter(self, word: str, start: int) -> TexToken:
        match = _NAME.match(self.text, self.position)
        if match is None:
            return TexToken(TokenKind.WORD, start, self.position, word)
        name = match[1].strip()
        self.position = match.end()
        if word == "begin" and (name in VERBATIM or name in COMMENTS):
            closing = rf"\end{{{name}}}"
            end = self.text.find(closing, self.position)
            self.position = len(self.text) if end < 0 else end + len(closing)
            kind = TokenKind.VERBATIM if name in VERBATIM else TokenKind.HIDDEN
            return TexToken(kind, start, self.position, name)
        return TexToken(TokenKind.BEGIN if word == "begin" else TokenKind.END, start, self.position, name)

    def _argument(self, name: str, start: int) -> TexToken:
        r"""Return ``\verb|…|`` or ``\url{…}`` as one token, the word alone if its argument has no end."""
        text, first = self.text, self.position
        while text.startswith(("*", " "), first) and first < self.position + 2:
            first += 1
        mark = text[first : first + 1]
        last = first + MAX_VERBATIM_ARGUMENT
        if name in _LINKS and mark == "{":
            end = text.find("}", first, last)
        elif name in _INLINE_VERBATIM and mark and not (mark.isalnum() or mark.isspace() or mark in "{[\\%"):
            end = text.find(mark, first + 1, last)
            if 0 <= text.find("\n", first, last) < end:
                end = -1
        else:
            end = -1
        if end < 0:
            return TexToken(TokenKind.WORD, start, self.position, name)
        self.position = end + 1
        return TexToken(TokenKind.VERBATIM, start, self.position, name)

    def _skip_branch(self) -> None:
        r"""Move to the end of a branch that is not taken: past ``\fi``, or past its ``\else``."""
        depth = 0
        while found := _BRANCH.search(self.text, self.position):
            self.position = found.end()
            name = found["name"]
            if name == "newif":
                self.position = max(self.position, _after_word(self.text, self.position))
            elif name == "fi":
                if depth == 0:
                    self._branches.pop()
                    return
                depth -= 1
            elif name == "else":
                if depth == 0 and self._branches[-1] is False:
                    self._branches[-1] = True
                    return
            elif name is not None and is_conditional(name):
                depth += 1
        self.position = len(self.text)


def is_conditional(name: str) -> bool:
    r"""Return whether a command is one that ``\fi`` ends."""
    return name.startswith("if") and name not in _NO_CONDITIONALS


def _after_word(text: str, position: int) -> int:
    match = _NEXT_WORD.match(text, position)
    return match.end() if match else position


class Braces:
    """Where each brace of a source is closed, found in one pass. Comments and escaped braces are none."""

    def __init__(self, text: str) -> None:
        self._opened = array("q")
        self._closed = array("q")
        pending = array("q")
        for mark in _MARK.finditer(text):
            if mark[0] == "{":
                pending.append(len(self._opened))
                self._opened.append(mark.start())
                self._closed.append(-1)
            elif mark[0] == "}" and pending:
                self._closed[pending.pop()] = mark.start()

    def closing(self, opening: int) -> int | None:
        """Return where the brace is closed that opens there; None if it is not, or if there is none."""
        index = bisect_left(self._opened, opening)
        if index == len(self._opened) or self._opened[index] != opening or self._closed[index] < 0:
            return None
        return self._closed[index]
