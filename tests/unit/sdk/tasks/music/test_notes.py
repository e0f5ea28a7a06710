"""F1 of notes: one fault costs one note, and the spelling of a score nothing."""

from fractions import Fraction

import pytest

from i2s_sdk.scoring.scorer import MetricValues, Scorable
from i2s_sdk.tasks.music.notes import (
    NOTES_F1,
    EngravedNote,
    NotesScorer,
    compare_notes,
    notes_from_text,
    notes_to_text,
)
from i2s_wire.render.notes import Fraction as WireFraction
from i2s_wire.render.notes import Note, Pitch, ScoreNotes

STEPS = "cdefgab"


def line(text, *, staff=0, voice=0, octave=4):
    """Notes of a voice: a letter and a length each, such as "c4 r8 d8"; "r" is a rest."""
    onset, notes = Fraction(0), []
    for word in text.split():
        duration = Fraction(1, int(word[1:]))
        if word[0] != "r":
            pitch = (octave, STEPS.index(word[0]), Fraction(0))
            notes.append(EngravedNote((0, staff), voice, onset, None, duration, pitch))
        onset += duration
    return notes


TUNE = "c4 d8 e8 f4 g2 a8 b8 c4 e4 g4"


def test_equal_scores_have_1():
    assert compare_notes(line(TUNE), line(TUNE)).f1 == 1.0


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("c4 d8 f4 g2 a8 b8 c4 e4 g4", 9),  # one is missing
        ("c4 d8 e8 e8 f4 g2 a8 b8 c4 e4 g4", 10),  # one too many
        ("c4 d8 e8 f4 g1 a8 b8 c4 e4 g4", 9),  # one of another length
        ("c4 d8 e8 f4 a2 a8 b8 c4 e4 g4", 9),  # one of another pitch
        ("c4 d8 e8 f4 r4 g2 a8 b8 c4 e4 g4", 9),  # a rest too many: the note after it is late
        ("c4 d8 e8 f4 g2", 5),
    ],
)
def test_one_fault_does_not_make_later_notes_wrong(text, same):
    agreement = compare_notes(line(text), line(TUNE))
    assert agreement.same == same
    assert agreement.f1 == pytest.approx(2 * same / (agreement.predicted + 10))


def test_a_missing_staff_costs_its_own_notes():
    upper, lower = line(TUNE), line("c2 e2 g2 c2 c4", staff=1, octave=3)
    moved = line("c2 e2 g2 c2 c4", octave=3)
    assert compare_notes(moved, upper + lower).same == len(lower)
    assert compare_notes(upper, upper + lower).same == len(upper)


def test_a_chord_may_be_two_voices():
    chords = line("c4 d4 e4") + line("e4 f4 g4")
    voices = line("c4 d4 e4", voice=1) + line("e4 f4 g4", voice=0)
    assert compare_notes(chords, voices).f1 == 1.0


def test_a_fault_in_one_voice_leaves_the_other():
    upper, lower = line("c4 d4 e4 f4 g4 a4"), line("c2 e4 g4 c2", voice=1, octave=3)
    wrong = line("c4 d4 e4 e4 f4 g4 a4") + lower
    assert compare_notes(wrong, upper + lower).same == 10


def test_a_constant_interval_is_named_and_changes_no_value():
    higher = [EngravedNote(*_moved(one)) for one in line("c4 d4 f4 g4 c4")]
    agreement = compare_notes(higher, line("c4 d4 f4 g4 c4"))
    assert (agreement.same, agreement.transposed_by, agreement.pitch_errors) == (0, 12.0, 0)
    assert (agreement.f1, agreement.octave_errors) == (0.0, 5)


def _moved(note):
    octave, step, alteration = note.pitch
    return note.staff, note.voice, note.onset, note.grace, note.duration, (octave + 1, step, alteration)


def test_a_transposition_by_a_second_is_named():
    agreement = compare_notes(line("d4 e4 g4 a4 d4"), line("c4 d4 f4 g4 c4"))
    assert (agreement.transposed_by, agreement.pitch_errors, agreement.f1) == (2.0, 3, 0.4)


def test_an_octave_error_is_counted_apart():
    expected = line("c4 d4 e4 f4 g4")
    predicted = [*expected[:2], EngravedNote(*_moved(expected[2])), *expected[3:]]
    agreement = compare_notes(predicted, expected)
    assert (agreement.same, agreement.octave_errors, agreement.transposed_by) == (4, 1, 0.0)


def test_the_text_of_notes_is_exact():
    pitch = Pitch(4, 3, WireFraction(1, 2), 66.0)
    third = WireFraction(1, 12)
    notes = ScoreNotes(
        (
            Note(0, 1, 2, third, third, None, pitch, tie=True),
            Note(0, 0, 0, WireFraction(0), third, WireFraction(-1, 8), None, "snare"),
        )
    )
    first, drum = notes_from_text(notes_to_text(notes))
    assert first == EngravedNote((0, 1), 2, Fraction(1, 12), None, Fraction(1, 12), (4, 3, Fraction(1, 2)))
    assert (drum.drum, drum.grace, drum.pitch) == ("snare", Fraction(-1, 8), None)


@pytest.mark.parametrize("text", ["{}x", "[1]", '[[0,0,0,"1/0",null,"1/4","a"]]'])
def test_a_text_that_is_not_of_notes_is_refused(text):
    with pytest.raises(ValueError, match=r"."):
        notes_from_text(text)


def _text(*pitches):
    return notes_to_text(
        ScoreNotes(
            tuple(
                Note(0, 0, 0, WireFraction(index, 4), WireFraction(1, 4), None, Pitch(4, step))
                for index, step in enumerate(pitches)
            )
        )
    )


def test_the_scorer_gives_the_value_and_the_kinds_of_faults():
    scorer = NotesScorer()
    values = scorer.score(Scorable("a", drawn=_text(0, 1, 2), drawn_truth=_text(0, 1, 3)))
    assert isinstance(values, MetricValues)
    assert values.metrics == {NOTES_F1: pytest.approx(2 / 3)}
    assert (values.detail["same"], values.detail["pitch_errors"]) == (2, 1)
    assert scorer.score(Scorable("a", drawn=None, drawn_truth=_text(0))).metrics == {NOTES_F1: 0.0}
    assert scorer.unusable(Scorable("a", drawn_truth=_text(0))).metrics == {NOTES_F1: 0.0}


def test_a_ground_truth_without_notes_has_no_value_and_a_reason():
    scorer, sample = NotesScorer(), Scorable("a", drawn=_text(0), drawn_truth="[]")
    for values in (scorer.score(sample), scorer.unusable(sample)):
        assert values.metrics == {NOTES_F1: None}
        assert values.undefined == {NOTES_F1: "the ground truth has no notes"}
    assert not scorer.applies(Scorable("a", drawn=_text(0)))
