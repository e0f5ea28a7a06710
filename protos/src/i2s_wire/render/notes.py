"""The notes that a score engraved, as LilyPond itself holds them."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Fraction:
    """An exact number."""

    #: Numerator.
    numerator: int
    #: Denominator, above 0.
    denominator: int = 1


@dataclass(frozen=True, slots=True)
class Pitch:
    """A pitch as it is written."""

    #: Octave; 4 is that from middle C up.
    octave: int
    #: Note of the scale; 0 is C and 6 is B.
    step: int
    #: Whole tones that it is raised; 1/2 is a sharp.
    alteration: Fraction = Fraction(0)
    #: Number of MIDI; 60 is middle C. Not a whole number for quarter tones.
    midi: float = 60.0


@dataclass(frozen=True, slots=True)
class Note:
    """A visible note head."""

    #: Index of the score in the document, from 0.
    score: int
    #: Index of the staff in its score, from 0, in the order in which staves begin.
    staff: int
    #: Index of the voice in its staff, from 0, in the order of their first notes.
    voice: int
    #: When it begins in its score, in whole notes.
    onset: Fraction
    #: Length in whole notes.
    duration: Fraction
    #: Of a grace note, when it begins before or after ``onset``; None for other notes.
    grace: Fraction | None = None
    #: The pitch; None for drums.
    pitch: Pitch | None = None
    #: Name of the drum; empty for a note with a pitch.
    drum: str = ""
    #: Whether a tie leads from it to another note.
    tie: bool = False


@dataclass(frozen=True, slots=True)
class ScoreNotes:
    """The notes of all scores of a document, in the order in which they were engraved."""

    #: The notes.
    notes: tuple[Note, ...] = field(default=(), repr=False)
    #: Whether something was left out.
    truncated: bool = False
