"""Reading TeX source just far enough: what is code, which braces belong together, arguments of commands."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

_MARK = re.compile(r"\\.|[{}\]]", re.DOTALL)


class Delimiters:
    """The delimiters of TeX source. What follows a backslash is none; comments are not told apart.

    Args:
        source: Any text.
    """

    def __init__(self, source: str) -> None:
        self._braces: dict[int, int] = {}
        self._brackets: defaultdict[int, list[int]] = defaultdict(list)
        self._marks: list[int] = []
        self._after: list[int] = []
        depth = 0
        open_braces: list[int] = []
        for mark in _MARK.finditer(source):
            match mark.group():
                case "{":
                    depth += 1
                    open_braces.append(mark.start())
                case "}":
                    depth -= 1
                    if open_braces:
                        self._braces[open_braces.pop()] = mark.start()
                case "]":
                    self._brackets[depth].append(mark.start())
                    continue
                case _:
                    continue
            self._marks.append(mark.start())
            self._after.append(depth)

    def brace(self, opening: int) -> int | None:
        """Return where the brace is closed that opens there; None if it is not."""
        return self._braces.get(opening)

    def bracket(self, opening: int) -> int | None:
        """Return the next closing bracket outside of braces opened since; None if there is none."""
        braces_before = bisect_left(self._marks, opening)
        depth = self._after[braces_before - 1] if braces_before else 0
        candidates = self._brackets.get(depth, [])
        index = bisect_left(candidates, opening)
        return candidates[index] if index < len(candidates) else None


_VERBATIM = "verbatim|Verbatim|BVerbatim|LVerbatim|lstlisting|minted|comment|filecontents"
# Tokens in the order in which TeX would notice them; an escaped character is code, and hides what it escapes.
_TOKEN = re.compile(
    rf"(?P<verbatim>\\begin\{{(?P<name>(?:{_VERBATIM})\*?)\}}.*?(?:\\end\{{(?P=name)\}}|\Z))"
    r"|(?P<verb>\\(?:verb|lstinline)\b\*?(?P<mark>[^\sA-Za-z*{\[])[^\n]*?(?:(?P=mark)|$))"
    r"|(?P<comment>%[^\n]*)"
    r"|\\.",
    re.DOTALL | re.MULTILINE,
)
_delimiters = lru_cache(maxsize=4)(Delimiters)
_BLANK = re.compile(r"(?:\s|%[^\n]*(?:\n|\Z))*")


def code_spans(source: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of every stretch of ``source`` outside of comments and verbatim text."""
    start = 0
    for token in _TOKEN.finditer(source):
        if token.lastgroup is None:
            continue
        if token.start() > start:
            yield start, token.start()
        start = token.end()
    if start < len(source):
        yield start, len(source)


def code_only(source: str) -> str:
    """Return ``source`` without comments and verbatim text."""
    return "".join(source[start:end] for start, end in code_spans(source))


def open_verbatim(source: str) -> str | None:
    """Return the name of the environment of verbatim text that never ends, or None if there is none."""
    last = None
    for token in _TOKEN.finditer(source):
        last = token if token.lastgroup == "verbatim" else last
    if last is None or last.end() < len(source) or last[0].endswith(f"\\end{{{last['name']}}}"):
        return None
    return last["name"]


def without_comments(source: str) -> str:
    """Return ``source`` less its comments; verbatim text stays."""
    parts: list[str] = []
    position = 0
    for token in _TOKEN.finditer(source):
        if token.lastgroup == "comment":
            parts.append(source[position : token.start()])
            position = token.end()
    return "".join([*parts, source[position:]])


def rewrite_code(pattern: re.Pattern[str], replacement: str, source: str) -> str:
    """Return ``source`` with every match of ``pattern`` in code replaced; the rest is untouched."""
    parts: list[str] = []
    position = 0
    for start, end in code_spans(source):
        parts += [source[position:start], pattern.sub(replacement, source[start:end])]
        position = end
    return "".join([*parts, source[position:]])


def find_code(text: str, source: str) -> int:
    """Return where ``text`` first occurs in code, or -1."""
    return next((at for start, end in code_spans(source) if (at := source.find(text, start, end)) >= 0), -1)


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of ``source``: what stands between its delimiters, and where it ends."""

    source: str
    start: int
    stop: int
    end: int

    @property
    def content(self) -> str:
        """The text between the delimiters."""
        return self.source[self.start : self.stop]


def braced(source: str, position: int) -> Argument | None:
    """Return the argument in braces that comes next, or None if there is none or it has no end."""
    return _delimited(source, position, "{")


def bracketed(source: str, position: int) -> Argument | None:
    """Return the optional argument in brackets that comes next, or None if there is none."""
    return _delimited(source, position, "[")


def _delimited(source: str, position: int, opening: str) -> Argument | None:
    blank = _BLANK.match(source, position)
    start = blank.end() if blank else position
    if not source.startswith(opening, start):
        return None
    delimiters = _delimiters(source)
    stop = delimiters.brace(start) if opening == "{" else delimiters.bracket(start)
    return None if stop is None else Argument(source, start + 1, stop, stop + 1)


@dataclass(frozen=True, slots=True)
class TexCommand:
    """One use of a command: its name without backslash, its arguments, and where it stands."""

    name: str
    option: str
    arguments: tuple[str, ...]
    start: int
    end: int


def commands(source: str, arities: dict[str, int]) -> Iterator[TexCommand]:
    r"""Yield every use, in code, of the named commands that has all of its arguments.

    Args:
        source: TeX source.
        arities: Number of braced arguments by name. A star after the name is skipped, and an optional
            argument before the first brace is read. A first argument may be a bare command: ``\x``.
    """
    pattern = re.compile(rf"\\({'|'.join(map(re.escape, arities))})(?![A-Za-z@])\*?")
    position = 0
    for start, end in code_spans(source):
        for match in pattern.finditer(source, start, end):
            if match.start() < position:
                continue
            command = _command(source, match, arities[match[1]])
            if command is not None:
                position = command.end
                yield command


_BARE = re.compile(r"\s*(\\[A-Za-z@]+)")


def _command(source: str, match: re.Match[str], arity: int) -> TexCommand | None:
    option = bracketed(source, match.end())
    end = option.end if option else match.end()
    arguments: list[Argument] = []
    while len(arguments) < arity:
        argument = braced(source, end)
        if argument is None and not arguments and (bare := _BARE.match(source, end)):
            argument = Argument(source, bare.start(1), bare.end(1), bare.end())
        if argument is None:
            return None
        arguments.append(argument)
        end = argument.end
        if len(arguments) < arity and (later := _options_after(source, end)):
            end = later
    contents = tuple(argument.content for argument in arguments)
    return TexCommand(match[1], option.content if option else "", contents, match.start(), end)


def _options_after(source: str, position: int) -> int:
    end = 0
    while option := bracketed(source, end or position):
        end = option.end
    return end


def cut(source: str, removed: list[TexCommand]) -> str:
    """Return ``source`` without ``removed``, and without lines that are blank only because of that."""
    parts: list[str] = []
    position = 0
    for command in removed:
        start, end = own_line(source, command.start, command.end)
        parts.append(source[position : max(start, position)])
        position = max(end, position)
    return "".join([*parts, source[position:]])


def own_line(source: str, start: int, end: int) -> tuple[int, int]:
    """Return the whole line with its end if nothing else than blanks stands on it, else what was given."""
    before = start
    while before and source[before - 1] != "\n" and source[before - 1].isspace():
        before -= 1
    after = end
    while after < len(source) and source[after] != "\n" and source[after].isspace():
        after += 1
    alone = (not before or source[before - 1] == "\n") and source.startswith("\n", after)
    return (before, after + 1) if alone else (start, end)
