r"""Repairs of displays, rows and groups: functions of a source, each with one reading of what it mends.

Each returns None if the source does not have the fault.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from i2s_sdk.tasks.latex.groups import GroupMark, SourceGroup, read_groups
from i2s_sdk.tasks.latex.tex_source import bracketed, code_only, code_spans, open_verbatim, own_line

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
