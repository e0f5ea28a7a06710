"""Notes that a score wrote down are read strictly: what is not a note is left out."""

import pytest

from i2s_render_lilypond.notes import MOST_NOTES, read_notes
from i2s_wire.render.notes import Fraction, Note, Pitch, ScoreNotes

QUARTER = Fraction(1, 4)


def test_a_line_is_a_note():
    written = read_notes(b"0 1 2 3/8 - 1/4 0,3,1/2 1\n")
    pitch = Pitch(4, 3, Fraction(1, 2), 66.0)
    assert written == ScoreNotes((Note(0, 1, 2, Fraction(3, 8), QUARTER, None, pitch, tie=True),))


def test_grace_notes_and_drums_are_read():
    grace, drum = read_notes(b"0 0 0 0 -1/8 1/8 -1,6,-1/2 0\n0 0 0 0 - 1/4 bassdrum 0\n").notes
    assert (grace.grace, grace.pitch) == (Fraction(-1, 8), Pitch(3, 6, Fraction(-1, 2), 58.0))
    assert (drum.pitch, drum.drum) == (None, "bassdrum")


def test_no_file_of_notes_is_no_notes():
    assert read_notes(b"") == ScoreNotes()


@pytest.mark.parametrize(
    "line",
    [
        b"more",
        b"0 0 0 0 - 1/0 0,0,0 0",
        b"0 0 0 0 - 1/4 0,7,0 0",
        b"0 0 0 0 - 1/4 0,0,0 0 0",
        b"0 0 0 0 - 1/4 <script> 0",
        b"9999999 0 0 0 - 1/4 0,0,0 0",
        b"0 0 0 1111111111111111 - 1/4 0,0,0 0",
        "0 0 0 ١ - 1/4 0,0,0 0".encode(),
        b"\xff",
    ],
)
def test_a_line_that_is_no_note_is_left_out_and_said(line):
    assert read_notes(line + b"\n0 0 0 0 - 1/4 0,0,0 0\n") == ScoreNotes(
        (Note(0, 0, 0, Fraction(0), QUARTER, None, Pitch(4, 0)),), truncated=True
    )


def test_more_notes_than_the_bound_are_left_out():
    line = b"0 0 0 0 - 1/4 0,0,0 0\n"
    assert not read_notes(line * MOST_NOTES).truncated
    many = read_notes(line * (MOST_NOTES + 1))
    assert (len(many.notes), many.truncated) == (MOST_NOTES, True)
