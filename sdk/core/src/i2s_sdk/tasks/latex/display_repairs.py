"""Repairs of displays, rows and groups, and the reading of groups, environments and mathematics of a source.

Each repair is a function of a source with one reading of what it mends, and returns None if the source does
not have the fault. A source that a model wrote may be wrong: what is closed without being open is left out,
and what is open where something around it is closed counts as never closed. Comments and verbatim text hold
no groups.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from i2s_sdk.tasks.latex.tex_source import bracketed, code_only, code_spans, open_verbatim, own_line


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
    """The groups, environments and mathematics that ``read_groups`` returns."""

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


#: An edit: start and end of what is replaced, and what replaces it.
Edit = tuple[int, int, str]

#: What stands for an environment of displays inside of mathematics: an environment, and its argument.
_INNER_FORMS = {
    "align": ("aligned", ""),
    "flalign": ("aligned", ""),
    "alignat": ("alignedat", ""),
    "xalignat": ("alignedat", ""),
    "gather": ("gathered", ""),
    "multline": ("multlined", ""),
    "eqnarray": ("array", r"{>{\displaystyle}r>{\displaystyle}c>{\displaystyle}l}"),
}
_OUTER_FORMS = {"aligned": "align*", "gathered": "gather*"}
#: Mathematics of one line, whose delimiters add nothing where there is mathematics already.
_ONE_LINE = frozenset({"$", "$$", r"\(", r"\[", "equation", "displaymath", "math"})
#: The most pairs of delimiters that are open at once where cells are split.
_MAX_DEPTH = 10
#: What a source ends with that may be cut off within the name of a command.
_COMMAND_AT_END = re.compile(r"(?<!\\)\\[A-Za-z@]*\Z")
_LONGEST_NAME = 100
_BLANK_LINES = re.compile(r"(?:[ \t\r]*\n)+")
_MACRO_CHARACTER = re.compile(r"(?<![\\#])#(?![#1-9])")


@dataclass(frozen=True, slots=True)
class Mended:
    """A source after a repair."""

    #: The source.
    source: str
    #: What the repair was made to: names of environments, delimiters, characters.
    detail: str


def _mended(source: str, edits: Iterable[Edit], names: Iterable[str]) -> Mended | None:
    """Return ``source`` after edits that do not overlap, or None if there are none."""
    parts: list[str] = []
    position = 0
    for start, end, text in sorted(edits, key=lambda edit: edit[:2]):
        parts += [source[position:start], text]
        position = end
    return Mended("".join([*parts, source[position:]]), " ".join(dict.fromkeys(names))) if parts else None


def unnested(source: str) -> Mended | None:
    r"""Return ``source`` without mathematics that begins inside of mathematics.

    Where a display holds nothing but another, the outer delimiters go: what is left looks as the author of
    an ``align*`` expects. Else an environment gets its form for inside of mathematics (``aligned``), and
    other inner delimiters go. ``split`` outside of amsmath's displays becomes ``aligned``.
    """
    groups = [group for group in read_groups(source).closed if group.opens_maths or group.base == "split"]
    parts = Counter(id(group.parent) for group in groups)
    lone = (group for group in groups if parts[id(group.parent)] == 1)
    around = {id(group.parent) for group in lone if _is_alone(source, group)}
    edits: list[Edit] = []
    names: list[str] = []
    for group in groups:
        made = list(_unnested(source, group, around))
        edits += made
        names += [group.name] if made else []
    return _mended(source, edits, names)


def _unnested(source: str, group: SourceGroup, around: set[int]) -> Iterable[Edit]:
    if id(group) in around:
        return _without_delimiters(source, group)
    if group.base == "split":
        return () if _has_place_for_split(group) else _renamed(group, "aligned")
    if not group.in_maths or _may_nest(group) or _loses_its_host(group, around):
        return ()
    if group.base in _ONE_LINE:
        # A dollar in front of a display is more likely one too many.
        return () if _is_in_line(group.parent) and group.is_display else _without_delimiters(source, group)
    return _renamed(group, *_INNER_FORMS[group.base]) if group.base in _INNER_FORMS else ()


def _is_in_line(host: SourceGroup | None) -> bool:
    return host is not None and host.name in ("$", r"\(")


def _is_alone(source: str, group: SourceGroup) -> bool:
    """Return whether a display is all that another piece of mathematics holds."""
    host = group.parent
    if host is None or host.end < 0 or not host.opens_maths or not group.is_display:
        return False
    return _is_all(source, group, host)


def _is_all(source: str, group: SourceGroup, host: SourceGroup) -> bool:
    """Return whether there is nothing in a group but another, blanks and comments."""
    return not code_only(source[host.inner : group.start] + source[group.end : host.stop]).strip()


def _loses_its_host(group: SourceGroup, around: set[int]) -> bool:
    """Return whether all mathematics that a group stands in goes."""
    return all(id(host) in around for host in group.hosts() if host.is_maths)


def _may_nest(group: SourceGroup) -> bool:
    """Return whether amsmath permits a group where it stands: lines of ``gather`` may be aligned."""
    host = group.parent
    return host is not None and host.base == "gather" and group.base == "align"


def _has_place_for_split(group: SourceGroup) -> bool:
    host = group.parent
    return host is not None and host.is_display and host.name != "$$"


def _renamed(group: SourceGroup, name: str, argument: str = "") -> Iterator[Edit]:
    yield group.start, group.inner, f"\\begin{{{name}}}{argument}"
    yield group.stop, group.end, f"\\end{{{name}}}"


def _without_delimiters(source: str, group: SourceGroup) -> Iterator[Edit]:
    for start, end in ((group.start, group.inner), (group.stop, group.end)):
        # A line with nothing on it would end a paragraph, or the mathematics.
        yield *own_line(source, start, end), ""


def aligned(source: str) -> Mended | None:
    r"""Return ``source`` with ``&`` given meaning: in displays by ``aligned``, in ``gather`` by ``align``."""
    edits: list[Edit] = []
    names: list[str] = []
    for group in read_groups(source).closed:
        if not group.is_display or not group.has("tab"):
            continue
        if group.base == "gather":
            edits += _renamed(group, "align*")
        elif group.base in _ONE_LINE:
            edits += [
                (group.inner, group.inner, r"\begin{aligned}"),
                (group.stop, group.stop, r"\end{aligned}"),
            ]
        else:
            continue
        names.append(group.name)
    return _mended(source, edits, names)


def taggable(source: str) -> Mended | None:
    r"""Return ``source`` with displays in which ``\tag`` is permitted around each ``\tag``.

    ``$$`` becomes ``\[``; ``aligned`` that is all of a display becomes ``align*``.
    """
    groups = read_groups(source).closed
    parts = {id(group.parent): group for group in groups if group.name in _OUTER_FORMS and group.has("tag")}
    edits: list[Edit] = []
    names: list[str] = []
    for group in groups:
        part = parts.get(id(group)) if group.is_display else None
        if part is not None and _is_all(source, part, group):
            edits += [*_without_delimiters(source, group), *_renamed(part, _OUTER_FORMS[part.name])]
            names.append(part.name)
        elif group.name == "$$" and group.has("tag"):
            edits += [(group.start, group.inner, r"\["), (group.stop, group.end, r"\]")]
            names.append(group.name)
    return _mended(source, edits, names)


def without_blank_lines(source: str) -> Mended | None:
    """Return ``source`` without blank lines in displays and in options of environments."""
    groups = read_groups(source)
    places = [at for at, _ in groups.breaks]
    names = {
        at: group.display.name
        for at, group in groups.breaks
        if group is not None and group.display is not None and group.display.end >= 0
    }
    for group in groups.closed:
        option = bracketed(source, group.inner) if group.is_environment and not group.is_display else None
        if option is not None and option.end <= group.stop:
            within = places[bisect_left(places, option.start) : bisect_left(places, option.stop)]
            names |= dict.fromkeys(within, group.name)
    return _mended(source, _joined(source, sorted(names)), names.values())


def _joined(source: str, line_feeds: Iterable[int]) -> Iterator[Edit]:
    """Yield edits that leave one line feed of those that stand together."""
    position = 0
    for at in line_feeds:
        blank = _BLANK_LINES.match(source, at + 1)
        if blank is not None and at >= position:
            position = blank.end()
            yield at + 1, position, ""


def closed(source: str) -> Mended | None:
    """Return ``source`` with groups of text closed where an environment around them, or the source, ends.

    At its end displays are closed too, as an answer that was cut off leaves them. Mathematics in a line is
    not: its dollar may as well be one too many. Nor is anything closed after a name of a command, which may
    be half of one.
    """
    groups, verbatim = read_groups(source), open_verbatim(source)
    if groups.crossed or any(group.name in ("$", r"\(") for _, group in groups.unclosed):
        return None
    text = source.rstrip()
    if _COMMAND_AT_END.search(text[-_LONGEST_NAME:]):
        return None
    # At the end each stands on a line of its own, for a comment would hide it.
    missing = [f"\\end{{{verbatim}}}"] if verbatim is not None else []
    missing += [group.closing for at, group in groups.unclosed if at == len(source)]
    within = [(at, at, group.closing) for at, group in groups.unclosed if at < len(source)]
    edits = [*within, (len(text), len(source), "\n" + "\n".join(missing))] if missing else within
    return _mended(source, edits, [*(text for _, _, text in within), *missing])


def with_rows_ended(source: str) -> Mended | None:
    r"""Return ``source`` with ``\\`` before each rule of a table that follows a row without one."""
    places: list[int] = []
    for group in read_groups(source).closed:
        before = ""
        for mark in group.marks:
            if mark.kind == "rule" and before == "tab":
                places.append(mark.start)
            if mark.kind in ("tab", "row", "rule"):
                before = mark.kind
    return _mended(source, [(at, at, "\\\\ ") for at in places], ["\\\\"])


def with_delimiters_split(source: str) -> Mended | None:
    r"""Return ``source`` in which no ``\left`` has its ``\right`` in another cell of an alignment.

    At each border between the two, an invisible delimiter ends and begins the pair.
    """
    edits = [edit for group in read_groups(source).closed for edit in _split(group.marks)]
    return _mended(source, edits, [r"\left"])


def _split(marks: Sequence[GroupMark]) -> list[Edit]:
    edits: list[Edit] = []
    depth = 0
    for mark in marks:
        if mark.kind in ("left", "right"):
            depth += 1 if mark.kind == "left" else -1
            if not 0 <= depth <= _MAX_DEPTH:
                return []
        elif mark.kind in ("tab", "row") and depth:
            # Without a group in front of it a sign would not be one between two numbers.
            edits.append((mark.start, mark.start, r"\right." * depth + " "))
            edits.append((mark.end, mark.end, r"\left." * depth + "{}"))
    return [] if depth else edits


def with_plain_characters(source: str, character: str) -> Mended | None:
    r"""Return ``source`` with ``&`` or ``#`` as ``\&`` or ``\#`` where it can only be meant as a character.

    That is ``&`` outside of mathematics and of environments that may align it, and ``#`` where it names no
    argument.
    """
    places = _ampersands(source) if character == "&" else _hashes(source)
    return _mended(source, [(at, at, "\\") for at in places], [character])


def _ampersands(source: str) -> Iterator[int]:
    groups = read_groups(source)
    for marks in (groups.marks, *(group.marks for group in groups.closed if group.is_plain)):
        yield from (mark.start for mark in marks if mark.kind == "tab")


def _hashes(source: str) -> Iterator[int]:
    for start, end in code_spans(source):
        yield from (found.start() for found in _MACRO_CHARACTER.finditer(source, start, end))
