"""Reads the notes that the engraver of a score wrote down, see inside/notes.scm.

The file comes out of the process that ran the score, which may have written anything into it: what is not a
note is left out.
"""

from __future__ import annotations

import re

from i2s_wire.render.notes import Fraction, Note, Pitch, ScoreNotes

#: The most notes that are returned.
MOST_NOTES = 10_000
#: Bound on the file that is read.
NOTES_BYTES = 2 * 1024 * 1024

_INDEX = r"(\d{1,6})"
_FRACTION = r"(-?\d{1,15}(?:/[1-9]\d{0,14})?)"
_LINE = re.compile(
    rf"{_INDEX} {_INDEX} {_INDEX} {_FRACTION} (?:-|{_FRACTION}) {_FRACTION} "
    rf"(?:(-?\d{{1,3}}),([0-6]),{_FRACTION}|([a-z]{{1,40}})) ([01])",
    re.ASCII,
)
_SEMITONES = (0, 2, 4, 5, 7, 9, 11)
#: LilyPond counts octaves from that of middle C.
_MIDDLE_OCTAVE, _MIDDLE_C = 4, 60


def read_notes(written: bytes) -> ScoreNotes:
    """Return the notes of a file; ``truncated`` if there are more, or a line that is not a note."""
    lines = written.decode("ascii", "replace").split("\n")
    matches = [_LINE.fullmatch(line) for line in lines[: MOST_NOTES + 1] if line]
    notes = [_note(match) for match in matches if match is not None]
    truncated = len(lines) > MOST_NOTES + 1 or None in matches
    return ScoreNotes(tuple(notes[:MOST_NOTES]), truncated or len(notes) > MOST_NOTES)


def _note(match: re.Match[str]) -> Note:
    octave, step, alteration = match[7], match[8], match[9]
    return Note(
        score=int(match[1]),
        staff=int(match[2]),
        voice=int(match[3]),
        onset=_fraction(match[4]),
        grace=None if match[5] is None else _fraction(match[5]),
        duration=_fraction(match[6]),
        pitch=None if octave is None else _pitch(int(octave), int(step), _fraction(alteration)),
        drum=match[10] or "",
        tie=match[11] == "1",
    )


def _pitch(octave: int, step: int, alteration: Fraction) -> Pitch:
    raised = 2 * alteration.numerator / alteration.denominator
    midi = _MIDDLE_C + 12 * octave + _SEMITONES[step] + raised
    return Pitch(octave + _MIDDLE_OCTAVE, step, alteration, midi)


def _fraction(text: str) -> Fraction:
    numerator, _, denominator = text.partition("/")
    return Fraction(int(numerator), int(denominator or "1"))
