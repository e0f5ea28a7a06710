"""The scores of a LilyPond source: found without running it, and cut out as files of their own."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from i2s_collect.candidates import Dropped, Piece, Reason
from i2s_wire.render.rendering import Rendering

#: Blocks that hold scores without being one.
_BOOKS = frozenset({"\\book", "\\bookpart"})
#: Commands whose blocks show no music.
_NOT_SHOWN = frozenset({"\\header", "\\paper", "\\layout", "\\midi", "\\markup", "\\markuplist"})
_SCORE, _LAYOUT, _MIDI, _HEADER, _INCLUDE = "\\score", "\\layout", "\\midi", "\\header", "\\include"

_TOKEN = re.compile(
    r"%\{.*?(?:%\}|\Z)"  # comment of several lines
    r"|%[^\n]*"
    r'|"(?:[^"\\]|\\.)*(?:"|\Z)'
    r"|\\[A-Za-z]+(?:[-_][A-Za-z]+)*"
    r"|[#$]"
    r"|[{}=]|<<|>>"
    r"|[^\s%\"\\#${}=<>]+",
    re.DOTALL,
)
_SCHEME_PART = re.compile(
    r'"(?:[^"\\]|\\.)*(?:"|\Z)|;[^\n]*|#\\(?:[A-Za-z]+|.)|#\{.*?(?:#\}|\Z)|#!.*?(?:!#|\Z)|[()]', re.DOTALL
)
_SCHEME_ATOM = re.compile(r"[^\s{}()\"%]*")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ScoreBlock:
    r"""A ``\score`` that stands by itself."""

    #: Index of the backslash.
    first: int
    #: Index after the closing brace.
    last: int
    #: Whether it is printed, and not only played.
    shown: bool


@dataclass(frozen=True, slots=True)
class LilypondText:
    r"""The contents of a source."""

    #: Scores outside of other blocks but books, in their order.
    scores: tuple[ScoreBlock, ...]
    #: Whether there is a score, or music outside of one.
    has_music: bool
    #: Names of the files that it includes.
    includes: tuple[str, ...]
    #: Fields of the first header of the file that are plain strings.
    header: dict[str, str]
    #: Names of all commands, with the backslash.
    commands: frozenset[str]


@dataclass(slots=True)
class _Block:
    """A block that is open: the command before it, where that stands, and what was seen in it."""

    command: str
    first: int
    assigned: bool
    layout: bool = False
    midi: bool = False


def read_lilypond(text: str) -> LilypondText:
    """Return what a source holds. A source that is broken gives what was found before."""
    return _Scanner(text).scan()


class _Scanner:
    def __init__(self, text: str) -> None:
        self._text = text
        self._blocks: list[_Block] = []
        self._scores: list[ScoreBlock] = []
        self._includes: list[str] = []
        self._header: dict[str, str] = {}
        self._commands: set[str] = set()
        self._has_music = False
        self._headers = 0
        # The token before, where it stands, and whether a value is being assigned outside of all blocks.
        self._before, self._before_at, self._assigned = "", 0, False
        self._field = ""

    def scan(self) -> LilypondText:
        position = 0
        while token := _TOKEN.search(self._text, position):
            position = token.end()
            text = token.group()
            if text.startswith("%"):
                continue
            if text in "#$":
                position = _after_scheme(self._text, position)
                self._before, self._before_at = text, token.start()
                continue
            self._take(text, token.start(), token.end())
        return LilypondText(
            tuple(self._scores),
            self._has_music or bool(self._scores),
            tuple(self._includes),
            self._header,
            frozenset(self._commands),
        )

    def _take(self, text: str, first: int, last: int) -> None:
        if text in ("{", "<<"):
            self._open(text, first)
        elif text in ("}", ">>"):
            if self._blocks:
                self._close(self._blocks.pop(), last)
        elif text == "=":
            self._field = self._before
            if not self._blocks:
                self._assigned = True
        elif text.startswith('"'):
            self._string(_ESCAPED.sub(r"\1", text[1:].removesuffix('"')))
        elif text.startswith("\\"):
            self._command(text)
        self._before, self._before_at = text, first

    def _command(self, command: str) -> None:
        self._commands.add(command)
        if self._blocks:
            self._blocks[-1].layout |= command == _LAYOUT
            self._blocks[-1].midi |= command == _MIDI
        elif command in _NOT_SHOWN or command == _SCORE or command in _BOOKS:
            # "name = \score" keeps its assignment; a command on its own ends that of the line before.
            self._assigned = self._assigned and self._before == "="

    def _open(self, brace: str, first: int) -> None:
        command = self._before if brace == "{" and self._before.startswith("\\") else ""
        assigned = self._assigned and not self._blocks
        outside = all(block.command in _BOOKS and not block.assigned for block in self._blocks)
        if outside and not assigned and command not in _NOT_SHOWN | _BOOKS:
            self._has_music = True
        if command == _HEADER:
            self._headers += 1
        at = self._before_at if command else first
        self._blocks.append(_Block(command, at, assigned))

    def _close(self, block: _Block, last: int) -> None:
        if not self._blocks:
            self._assigned = False
        inside = all(one.command in _BOOKS and not one.assigned for one in self._blocks)
        whole = self._text[last - 1] == "}"  # a broken source may close it by ">>"
        if block.command == _SCORE and whole and inside and not block.assigned:
            self._scores.append(ScoreBlock(block.first, last, block.layout or not block.midi))

    def _string(self, value: str) -> None:
        if self._before == _INCLUDE:
            self._includes.append(value)
        in_header = bool(self._blocks) and self._blocks[-1].command == _HEADER
        if in_header and self._headers == 1 and self._before == "=" and self._field:
            self._header.setdefault(self._field, value)
        if not self._blocks:
            self._assigned = False


def _after_scheme(text: str, position: int) -> int:
    """Return where a Scheme expression ends that begins after its "#" or "$"."""
    while position < len(text) and text[position] in "'`,@#":
        position += 1
    if not text.startswith("(", position):
        if text.startswith(('"', "{"), position):
            part = _SCHEME_PART.match(text, position)
            return part.end() if part else position
        atom = _SCHEME_ATOM.match(text, position)
        return atom.end() if atom else position
    depth = 0
    for part in _SCHEME_PART.finditer(text, position):
        depth += {"(": 1, ")": -1}.get(part.group(), 0)
        if depth == 0:
            return part.end()
    return len(text)


#: The most characters of a piece.
MAX_CHARACTERS = 10_000
#: The most characters of a file that is read.
MAX_FILE_CHARACTERS = 1_000_000
#: Commands that place an image out of another file.
_PICTURES = frozenset({"\\epsfile", "\\image"})


def cut_scores(
    subset: str, member: str, content: bytes, neighbours: Collection[str] = ()
) -> Iterator[Piece | Dropped]:
    """Yield the pieces of one file, or why it has none.

    A file with at most one score that is printed is a piece as it is. Of a file with more, each is a piece:
    the file without its other scores.

    Args:
        subset: Subset of the pieces.
        member: Name of the file.
        content: Content of the file.
        neighbours: Names of the files beside it; one that includes another does not stand alone.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        yield Dropped(Reason.NO_SOURCE, f"{member} is not UTF-8", subset=subset)
        return
    if len(text) > MAX_FILE_CHARACTERS:
        yield Dropped(Reason.TOO_LONG, f"{member} has {len(text)} characters", subset=subset)
        return
    parsed = read_lilypond(text)
    if fault := _fault(member, parsed, neighbours):
        yield Dropped(*fault, subset=subset)
        return
    shown = [score for score in parsed.scores if score.shown]
    whole = len(shown) < 2
    for score in shown or [ScoreBlock(0, len(text), True)]:
        source = text if whole else _alone(text, score, parsed.scores)
        if len(source.strip()) > MAX_CHARACTERS:
            detail = f"{len(source)} characters in {member}, more than {MAX_CHARACTERS}"
            yield Dropped(Reason.TOO_LONG, detail, subset=subset)
            continue
        yield Piece(
            subset=subset,
            member=member,
            span=(0, len(content)) if whole else _bytes_of(text, score, content),
            structure=source.strip().encode(),
            text=source.strip(),
            length=0,
            notes={"scores": len(shown), **_header_notes(parsed)},
        )


def score_fault(piece: Piece, rendering: Rendering) -> Dropped | None:
    """Return why the rendering of a score is not a reference: it has several pages."""
    if rendering.verdict.has_picture and rendering.total_pages != 1:
        return Dropped(Reason.SEVERAL_PAGES, f"{rendering.total_pages} pages", subset=piece.subset)
    return None


def local_includes(member: str, includes: Collection[str], files: Collection[str]) -> tuple[str, ...]:
    """Return those inclusions of a file that name another file of its repository."""
    names = {name.rpartition("/")[2] for name in files if name != member}
    return tuple(include for include in includes if include.replace("\\", "/").rpartition("/")[2] in names)


def _fault(member: str, source: LilypondText, neighbours: Collection[str]) -> tuple[Reason, str] | None:
    if local := local_includes(member, source.includes, neighbours):
        return Reason.INPUT_FILE, f"{member} includes {local[0][:100]}"
    if source.commands & _PICTURES:
        return Reason.PICTURE_FILE, f"{member} has a picture"
    if not source.has_music:
        return Reason.NOTHING_TO_CUT, f"{member} has no music of its own"
    if source.scores and not any(score.shown for score in source.scores):
        return Reason.NOTHING_TO_CUT, f"{member} is only played, not printed"
    return None


def _alone(text: str, kept: ScoreBlock, scores: Collection[ScoreBlock]) -> str:
    """Return a text without the other scores."""
    parts, position = [], 0
    for score in scores:
        if score is not kept:
            parts.append(text[position : score.first])
            position = score.last
    return "".join([*parts, text[position:]])


def _bytes_of(text: str, score: ScoreBlock, content: bytes) -> tuple[int, int]:
    mark = len(content) - len(text.encode())  # of a byte order mark
    first = len(text[: score.first].encode()) + mark
    return first, first + len(text[score.first : score.last].encode())


def _header_notes(source: LilypondText) -> dict[str, str]:
    """Return what the header says of rights, for people who decide on publishing."""
    wanted = ("license", "copyright", "composer", "maintainer", "source")
    return {f"header {name}": source.header[name][:300] for name in wanted if source.header.get(name)}
