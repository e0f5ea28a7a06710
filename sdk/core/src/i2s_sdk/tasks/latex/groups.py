r"""Where the groups, environments and mathematics of a source begin and end, found in one pass.

A source that a model wrote may be wrong: what is closed without being open is left out, and what is open
where something around it is closed counts as never closed. Comments and verbatim text hold no groups.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from i2s_sdk.tasks.latex.tex_source import code_spans


def _names(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


#: Environments that begin a display of their own.
DISPLAYS = _names("align alignat displaymath eqnarray equation flalign gather multline xalignat xxalignat")
#: Environments that hold paragraphs, wherever they stand.
_PARAGRAPHS = _names("minipage varwidth")
#: Environments of text in which ``&`` aligns nothing.
_PLAIN_TEXT = _names("center description enumerate flushleft flushright itemize quotation quote")
#: Environments that are mathematics where they stand in mathematics.
_PARTS = _names(
    """
    aligned alignedat array bmatrix Bmatrix cases dcases drcases gathered matrix multlined pmatrix rcases
    smallmatrix split vmatrix Vmatrix
    """
)
_CLOSED_BY = {"{": "}", "$": "$", "$$": "$$", r"\(": r"\)", r"\[": r"\]"}
_OPENED_BY = {closing: opening for opening, closing in _CLOSED_BY.items()}

_TOKEN = re.compile(
    r"(?P<bound>\\(?P<which>begin|end)[ \t]*\{(?P<name>[^{}\n]{1,60})\})"
    r"|(?P<tag>\\tag\*?[ \t]*\{)"
    # Commands whose argument is text even in mathematics, and those whose argument is mathematics.
    r"|(?P<words>\\(?:caption\*?|footnote)[ \t]*\{)"
    r"|(?P<text>\\(?:text[a-z]*|[mhf]box|(?:short)?intertext|parbox\{[^{}\n]{0,60}\})[ \t]*\{)"
    r"|(?P<maths>\\(?:boxed|ensuremath)[ \t]*\{)"
    r"|(?P<row>\\(?:\\\*?(?:\[[^\]\n]{0,40}\])?|(?:cr|crcr|tabularnewline)(?![A-Za-z])))"
    r"|(?P<rule>\\(?:hline|cline|toprule|midrule|bottomrule|cmidrule)(?![A-Za-z]))"
    r"|(?P<left>\\left(?![A-Za-z]))|(?P<right>\\right(?![A-Za-z]))"
    r"|(?P<opening>\\[(\[]|\{)|(?P<closing>\\[)\]]|\})|(?P<dollars>\$\$?)"
    r"|\\.|(?P<tab>&)|(?P<par>\n[ \t\r]*(?=\n))",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class GroupMark:
    r"""A place in a group. Its kind is tab (``&``), row (``\\``), rule, left, right, or tag."""

    kind: str
    start: int
    end: int


@dataclass(slots=True, eq=False)
class SourceGroup:
    r"""A stretch of a source with an opening and a closing delimiter."""

    #: Opening delimiter (``{``, ``$``, ``$$``, ``\(``, ``\[``), or the name of the environment.
    name: str
    #: Where the opening delimiter begins.
    start: int
    #: Where the content begins.
    inner: int
    #: Whether the content is mathematics.
    is_maths: bool
    #: Whether the content is text in which ``&`` aligns nothing.
    is_plain: bool
    #: The nearest display whose lines the content is part of: this group, one around it, or None.
    display: SourceGroup | None
    #: Group that it stands in.
    parent: SourceGroup | None
    #: Where the content ends; -1 if the group is never closed.
    stop: int = -1
    #: Where the closing delimiter ends; -1 if the group is never closed.
    end: int = -1
    #: The marks that stand directly in it, in their order.
    marks: list[GroupMark] = field(default_factory=list)

    @property
    def base(self) -> str:
        """Its name without a star."""
        return self.name.removesuffix("*")

    @property
    def is_environment(self) -> bool:
        """Whether it is an environment."""
        return self.name not in _CLOSED_BY

    @property
    def is_display(self) -> bool:
        r"""Whether it begins a display: an environment of displays, ``$$`` or ``\[``."""
        return self.name in ("$$", r"\[") or self.base in DISPLAYS

    @property
    def opens_maths(self) -> bool:
        """Whether it begins mathematics, in a line or as a display."""
        return self.is_display or self.name in ("$", r"\(", "math")

    @property
    def in_maths(self) -> bool:
        """Whether it stands in mathematics."""
        return self.parent is not None and self.parent.is_maths

    @property
    def closing(self) -> str:
        """The delimiter that closes it."""
        return _CLOSED_BY.get(self.name) or f"\\end{{{self.name}}}"

    def has(self, kind: str) -> bool:
        """Return whether a mark of that kind stands directly in it."""
        return any(mark.kind == kind for mark in self.marks)

    def hosts(self) -> Iterator[SourceGroup]:
        """Yield the groups that it stands in, the nearest first."""
        parent = self.parent
        while parent is not None:
            yield parent
            parent = parent.parent


@dataclass(frozen=True, slots=True)
class Groups:
    """What ``read_groups`` found."""

    #: Groups with both delimiters, in the order of their beginnings.
    closed: Sequence[SourceGroup]
    #: Groups of text that are open where an environment around them ends, and all that are open at the end of
    #: the source: each with that place, in the order in which they have to be closed.
    unclosed: Sequence[tuple[int, SourceGroup]]
    #: Marks outside of all groups.
    marks: Sequence[GroupMark]
    #: Positions of the line feeds before blank lines, each with the group that it stands in.
    breaks: Sequence[tuple[int, SourceGroup | None]]
    #: Whether something is closed that is not open, or is open in a way that leaves more than one place for
    #: its end.
    crossed: bool


class _GroupReader:
    def __init__(self) -> None:
        self.found: list[SourceGroup] = []
        self.open: list[SourceGroup] = []
        self.names: Counter[str] = Counter()
        self.unclosed: list[tuple[int, SourceGroup]] = []
        self.marks: list[GroupMark] = []
        self.breaks: list[tuple[int, SourceGroup | None]] = []
        self.crossed = False

    @property
    def top(self) -> SourceGroup | None:
        return self.open[-1] if self.open else None

    def read(self, token: re.Match[str]) -> None:
        kind, top = token.lastgroup or "", self.top
        start, end = token.span()
        match kind:
            case "bound" if token["which"] == "begin":
                self._begin(token["name"], start, end)
            case "bound":
                self._close(token["name"], start, end)
            case "text" | "words" | "tag":
                if kind == "tag":
                    self._mark(GroupMark(kind, start, end))
                self._open("{", start, end, is_maths=False, is_plain=kind == "words")
            case "maths":
                self._open("{", start, end, is_maths=True)
            case "opening":
                is_maths = token[0] != "{" or (top is not None and top.is_maths)
                self._open(token[0], start, end, is_maths=is_maths)
            case "closing":
                self._close(_OPENED_BY[token[0]], start, end)
            case "dollars":
                self._dollars(token[0], start)
            case "par" if top is not None and top.name == "$":
                self._leave()  # mathematics in a line ends with the paragraph at the latest
            case "par":
                self.breaks.append((start, top))
            case "tab" | "row" | "rule" | "left" | "right":
                self._mark(GroupMark(kind, start, end))

    def _mark(self, mark: GroupMark) -> None:
        (self.open[-1].marks if self.open else self.marks).append(mark)

    def _begin(self, name: str, start: int, inner: int) -> None:
        base = name.removesuffix("*")
        inherits = base in _PARTS and self.top is not None and self.top.is_maths
        self._open(name, start, inner, is_maths=base in DISPLAYS or base == "math" or inherits)

    def _open(self, name: str, start: int, inner: int, *, is_maths: bool, is_plain: bool = False) -> None:
        base, top = name.removesuffix("*"), self.top
        stays_plain = (top is None or top.is_plain) and (name == "{" or base in _PLAIN_TEXT)
        display = None if base in _PARAGRAPHS or top is None else top.display
        group = SourceGroup(
            name, start, inner, is_maths, is_plain or (stays_plain and not is_maths), display, top
        )
        if group.is_display:
            group.display = group
        self.found.append(group)
        self.open.append(group)
        self.names[name] += 1

    def _close(self, name: str, stop: int, end: int) -> None:
        if not self.names[name]:
            self.crossed = True
            return
        while self.open[-1].name != name:
            self._leave(None if name in _CLOSED_BY else stop)
        group = self.open.pop()
        self.names[name] -= 1
        group.stop, group.end = stop, end

    def _leave(self, place: int | None = None) -> None:
        """Give up the innermost group, which may be meant to be closed at a place."""
        group = self.open.pop()
        self.names[group.name] -= 1
        if place is None or group.is_maths:
            self.crossed = True
        else:
            self.unclosed.append((place, group))

    def _dollars(self, mark: str, start: int) -> None:
        within = self.top.name if self.top else ""
        if mark == "$$" and within == "$":
            self._dollars("$", start)
            self._dollars("$", start + 1)
        elif within == mark:
            self._close(mark, start, start + len(mark))
        else:
            self._open(mark, start, start + len(mark), is_maths=True)


#: The most delimiters and marks of a source that is read.
MAX_TOKENS = 100_000


@lru_cache(maxsize=4)
def read_groups(source: str) -> Groups:
    """Return the groups of TeX source, in linear time; none of a source with more than MAX_TOKENS."""
    reader, tokens = _GroupReader(), 0
    for start, end in code_spans(source):
        for token in _TOKEN.finditer(source, start, end):
            tokens += token.lastgroup is not None
            if tokens > MAX_TOKENS:
                return Groups((), (), (), (), crossed=True)
            reader.read(token)
    closed = [group for group in reader.found if group.end >= 0]
    at_end = [(len(source), group) for group in reversed(reader.open)]
    return Groups(closed, [*reader.unclosed, *at_end], reader.marks, reader.breaks, reader.crossed)
