"""``notes_f1``: how many of the notes of two scores are the same, by what LilyPond engraved.

The definition is ours; none is published for engraved scores. A note is its pitch as it is written (octave,
step, alteration; or the drum), its duration, whether it is a grace note, and its distance from the end of
what is before it. So a note too much or too little, or one of another length, does not move what is after it.

* Notes of a staff are compared in the order of their onsets, and from low to high in a chord. Those that are
  the same are a longest common subsequence.
* This is done voice by voice, with the voices assigned so that most notes are the same, and with all voices
  of the staff as one sequence; the larger number counts. So a chord may be written as two voices.
* Staves are aligned in their order, so that most notes are the same; a missing one costs its own notes.

F1 is twice the number of notes that are the same, divided by the notes of both. Ties, rests, clefs, keys,
bars and text are not compared.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from rapidfuzz.distance import LCSseq

from i2s_sdk.json_text import read_json
from i2s_sdk.scoring.assignment import best_assignment
from i2s_sdk.scoring.scorer import Metric, MetricValues, NotUsable, Scorable, Scorer
from i2s_wire.render.notes import Fraction as WireFraction
from i2s_wire.render.notes import ScoreNotes

#: The column.
NOTES_F1 = "notes_f1"
#: The most staves of a document, and voices of a staff, that are compared by themselves; the notes of further
#: ones count as those of the last.
MOST_STAVES, MOST_VOICES = 32, 4
_SCALE = (0, 2, 4, 5, 7, 9, 11)
_NO_NOTES = "the ground truth has no notes"


@dataclass(frozen=True, slots=True)
class EngravedNote:
    """A note as it is compared."""

    #: Index of score and staff.
    staff: tuple[int, int]
    #: Index of the voice in its staff.
    voice: int
    #: When it begins, in whole notes.
    onset: Fraction
    #: Of a grace note, when it begins before or after ``onset``.
    grace: Fraction | None
    #: Length in whole notes.
    duration: Fraction
    #: Octave, step and alteration in whole tones; None for a drum.
    pitch: tuple[int, int, Fraction] | None
    #: Name of the drum, or empty.
    drum: str = ""

    @property
    def semitones(self) -> Fraction:
        """Semitones above the C of octave 0; 0 for a drum."""
        if self.pitch is None:
            return Fraction(0)
        octave, step, alteration = self.pitch
        return 12 * octave + _SCALE[step] + 2 * alteration


def notes_to_text(notes: ScoreNotes) -> str:
    """Return the notes of a score as one line of JSON, in which equal notes are equal text."""
    return json.dumps(
        [
            [
                *(note.score, note.staff, note.voice, _exact(note.onset), note.grace and _exact(note.grace)),
                _exact(note.duration),
                [note.pitch.octave, note.pitch.step, _exact(note.pitch.alteration)]
                if note.pitch
                else note.drum,
            ]
            for note in notes.notes
        ],
        separators=(",", ":"),
    )


def _exact(number: WireFraction) -> str:
    return str(Fraction(number.numerator, number.denominator))


def notes_from_text(text: str) -> tuple[EngravedNote, ...]:
    """Return the notes of which ``notes_to_text`` made the text.

    Raises:
        ValueError: It is not such a text.
    """
    try:
        return tuple(_note(*line) for line in read_json(text))
    except (TypeError, ZeroDivisionError, IndexError) as error:
        raise ValueError(f"this is not a list of notes: {error}") from None


def _note(
    score: int, staff: int, voice: int, onset: str, grace: str | None, duration: str, sound: Sequence[object]
) -> EngravedNote:
    pitch, drum = None, ""
    if isinstance(sound, str):
        drum = sound
    else:
        octave, step, alteration = sound
        pitch = int(str(octave)), int(str(step)), Fraction(str(alteration))
    return EngravedNote(
        (int(score), int(staff)),
        int(voice),
        Fraction(onset),
        None if grace is None else Fraction(grace),
        Fraction(duration),
        pitch,
        drum,
    )


#: What of the sound of a note is compared.
Sound = Callable[[EngravedNote], Hashable]


def _as_written(note: EngravedNote) -> Hashable:
    if note.pitch is None:
        return note.drum
    octave, step, alteration = note.pitch
    return octave, step, alteration.as_integer_ratio()


def _without_octave(note: EngravedNote) -> Hashable:
    return note.pitch[1:] if note.pitch else note.drum


def _rhythm(note: EngravedNote) -> Hashable:
    return note.drum


@dataclass(frozen=True, slots=True)
class NoteAgreement:
    """How far the notes of two scores are the same."""

    #: Number of notes of the prediction.
    predicted: int
    #: Number of notes of the ground truth.
    expected: int
    #: Number of notes that are the same.
    same: int
    #: Number of further notes that would be the same if octaves did not count.
    octave_errors: int = 0
    #: Number of further notes that would be the same if pitches did not count.
    pitch_errors: int = 0
    #: Semitones by which the prediction is higher, if more notes are the same without that; or 0.
    transposed_by: float = 0.0

    @property
    def f1(self) -> float:
        """F1 of notes; 0 if both scores have none."""
        return 2 * self.same / (self.predicted + self.expected) if self.predicted + self.expected else 0.0


def compare_notes(predicted: Sequence[EngravedNote], expected: Sequence[EngravedNote]) -> NoteAgreement:
    """Return how far the notes of a prediction are those of a ground truth; see the module.

    ``transposed_by``, ``octave_errors`` and ``pitch_errors`` name kinds of faults; the value is without them.
    """
    sides = _Staves(predicted), _Staves(expected)
    same, octaves, rhythm = (_same_notes(*sides, sound) for sound in (_as_written, _without_octave, _rhythm))
    semitones = _interval(predicted, expected)
    moved = 0
    if semitones:
        shifted = _Staves(
            [
                replace(engraved_note, pitch=_as_semitones(engraved_note, -semitones))
                for engraved_note in predicted
            ]
        )
        plain = _Staves(
            [
                replace(engraved_note, pitch=_as_semitones(engraved_note, Fraction(0)))
                for engraved_note in expected
            ]
        )
        moved = _same_notes(shifted, plain, _as_written)
    return NoteAgreement(
        len(predicted),
        len(expected),
        same,
        max(0, octaves - same),
        max(0, rhythm - max(octaves, same)),
        float(semitones) if moved > same else 0.0,
    )


def _as_semitones(note: EngravedNote, added: Fraction) -> tuple[int, int, Fraction] | None:
    return None if note.pitch is None else (0, 0, note.semitones + added)


def _interval(predicted: Sequence[EngravedNote], expected: Sequence[EngravedNote]) -> Fraction:
    """Return the semitones between the middle pitches of two scores, 0 if one has none."""
    middles = []
    for notes in (predicted, expected):
        pitches = sorted(note.semitones for note in notes if note.pitch is not None)
        if not pitches:
            return Fraction(0)
        middles.append(pitches[len(pitches) // 2])
    return middles[0] - middles[1]


class _Staves:
    """The staves of a score, with their notes in the order in which they are compared."""

    def __init__(self, notes: Iterable[EngravedNote]) -> None:
        staves: dict[tuple[int, int], list[EngravedNote]] = {}
        last = (0, 0)
        for note in sorted(notes, key=lambda one: (one.staff, one.onset)):
            if note.staff in staves or len(staves) < MOST_STAVES:
                last = note.staff
            staves.setdefault(last, []).append(note)
        self.staves = [_Staff(found) for found in staves.values()]


class _Staff:
    def __init__(self, notes: Sequence[EngravedNote]) -> None:
        voices: dict[int, list[EngravedNote]] = {}
        for note in notes:
            voices.setdefault(min(note.voice, MOST_VOICES - 1), []).append(note)
        self.all = _sequence(notes)
        self.voices = [_sequence(found) for found in voices.values()] if len(voices) > 1 else [self.all]


_Placed = tuple[EngravedNote, tuple[Hashable, ...]]


def _sequence(notes: Sequence[EngravedNote]) -> list[_Placed]:
    """Return notes in order, each with its grace, duration, and distance from the end of what is before."""
    ordered = sorted(
        notes, key=lambda one: (one.onset, one.grace is None, one.grace or 0, one.semitones, one.drum)
    )
    placed: list[_Placed] = []
    end = begin = Fraction(0)
    open_end = Fraction(0)
    for note in ordered:
        if note.onset != begin:
            begin, end = note.onset, open_end
        is_grace = note.grace is not None
        distance = begin - end
        placed.append((note, (is_grace, *note.duration.as_integer_ratio(), *distance.as_integer_ratio())))
        if not is_grace:
            open_end = max(open_end, note.onset + note.duration)
    return placed


def _same_notes(predicted: _Staves, expected: _Staves, sound: Sound) -> int:
    """Return the number of notes that are the same in staves that are aligned in their order."""
    numbers: dict[Hashable, int] = {}
    rows = [_Tokens(stave, sound, numbers) for stave in predicted.staves]
    columns = [_Tokens(stave, sound, numbers) for stave in expected.staves]
    before = [0] * (len(columns) + 1)
    for row in rows:
        current = [0]
        for index, column in enumerate(columns):
            both = before[index] + row.same(column)
            current.append(max(both, before[index + 1], current[index]))
        before = current
    return before[-1]


class _Tokens:
    """The notes of a staff as numbers that are equal if what is compared of them is."""

    def __init__(self, staff: _Staff, sound: Sound, numbers: dict[Hashable, int]) -> None:
        def tokens(placed: Sequence[_Placed]) -> list[int]:
            return [numbers.setdefault((sound(note), time), len(numbers)) for note, time in placed]

        self.all = tokens(staff.all)
        self.voices = [tokens(voice) for voice in staff.voices] if len(staff.voices) > 1 else [self.all]

    def same(self, other: _Tokens) -> int:
        together: int = LCSseq.similarity(self.all, other.all)
        if len(self.voices) == 1 and len(other.voices) == 1:
            return together
        if together == min(len(self.all), len(other.all)):
            return together
        values = np.array([[LCSseq.similarity(voice, two) for two in other.voices] for voice in self.voices])
        apart = sum(int(values[row, column]) for row, column in best_assignment(values.astype(np.float64)))
        return max(together, apart)


@dataclass(frozen=True, slots=True)
class NotesScorer(Scorer):
    """Compares the notes that LilyPond engraved with those of the ground truth."""

    #: Name as the manifest calls it.
    name: str = NOTES_F1
    #: Version of the metric.
    version: str = "1"
    #: ``notes_f1`` alone.
    metrics: tuple[Metric, ...] = (
        Metric(NOTES_F1, summary="F1 of the notes that LilyPond engraved: pitch, duration and place."),
    )
    #: True: the time grows with the product of the numbers of notes.
    in_worker: bool = True
    #: The ground truth is rendered for its notes.
    compares_drawn: bool = True

    def applies(self, sample: Scorable) -> bool:
        """Return whether there are notes to compare with."""
        return sample.drawn_truth is not None

    def score(self, sample: Scorable) -> MetricValues | NotUsable:
        """Return the value; none if the ground truth has no notes."""
        expected = notes_from_text(sample.drawn_truth or "[]")
        if not expected:
            return MetricValues({NOTES_F1: None}, {NOTES_F1: _NO_NOTES})
        agreement = compare_notes(notes_from_text(sample.drawn or "[]"), expected)
        detail = {
            "predicted": agreement.predicted,
            "expected": agreement.expected,
            "same": agreement.same,
            "octave_errors": agreement.octave_errors,
            "pitch_errors": agreement.pitch_errors,
            "transposed_by": agreement.transposed_by,
        }
        return MetricValues({NOTES_F1: agreement.f1}, detail=detail)

    def unusable(self, sample: Scorable) -> MetricValues:
        """Return 0; no value if the ground truth has no notes."""
        if sample.drawn_truth == "[]":
            return MetricValues({NOTES_F1: None}, {NOTES_F1: _NO_NOTES})
        return MetricValues({NOTES_F1: 0.0})
