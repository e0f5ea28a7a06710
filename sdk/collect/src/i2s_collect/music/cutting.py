r"""Cuts scores out of a LilyPond source: the whole file, or the file with one of its ``\score`` blocks."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from i2s_collect.candidates import Dropped, Piece, Reason
from i2s_collect.music.lilypond_text import LilypondText, ScoreBlock, read_lilypond
from i2s_wire.render.rendering import Rendering

#: The most characters of a piece.
MAX_CHARACTERS = 10_000
#: The most characters of a file that is read.
MAX_FILE_CHARACTERS = 1_000_000
#: Commands that place a picture out of another file.
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
    found = read_lilypond(text)
    if fault := _fault(member, found, neighbours):
        yield Dropped(*fault, subset=subset)
        return
    shown = [score for score in found.scores if score.shown]
    whole = len(shown) < 2
    for score in shown or [ScoreBlock(0, len(text), True)]:
        source = text if whole else _alone(text, score, found.scores)
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
            notes={"scores": len(shown), **_header_notes(found)},
        )


def score_fault(piece: Piece, rendering: Rendering) -> Dropped | None:
    """Return why the rendering of a score is no reference: it has several pages."""
    if rendering.verdict.has_picture and rendering.total_pages != 1:
        return Dropped(Reason.SEVERAL_PAGES, f"{rendering.total_pages} pages", subset=piece.subset)
    return None


def local_includes(member: str, includes: Collection[str], files: Collection[str]) -> tuple[str, ...]:
    """Return those inclusions of a file that name another file of its repository."""
    names = {name.rpartition("/")[2] for name in files if name != member}
    return tuple(one for one in includes if one.replace("\\", "/").rpartition("/")[2] in names)


def _fault(member: str, found: LilypondText, neighbours: Collection[str]) -> tuple[Reason, str] | None:
    if local := local_includes(member, found.includes, neighbours):
        return Reason.INPUT_FILE, f"{member} includes {local[0][:100]}"
    if found.commands & _PICTURES:
        return Reason.PICTURE_FILE, f"{member} has a picture"
    if not found.has_music:
        return Reason.NOTHING_TO_CUT, f"{member} has no music of its own"
    if found.scores and not any(score.shown for score in found.scores):
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


def _header_notes(found: LilypondText) -> dict[str, str]:
    """Return what the header says of rights, for people who decide on publishing."""
    wanted = ("license", "copyright", "composer", "maintainer", "source")
    return {f"header {name}": found.header[name][:300] for name in wanted if found.header.get(name)}
