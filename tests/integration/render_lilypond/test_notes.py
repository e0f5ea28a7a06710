"""The notes that LilyPond engraved are returned where a request asks for them."""

import pytest

from i2s_render_lilypond.model import LilypondJob, Options
from i2s_render_lilypond.notes import MOST_NOTES
from i2s_wire.render.notes import Fraction, Pitch, ScoreNotes
from i2s_wire.render.options import LilypondBackend
from i2s_wire.render.rendering import Verdict

pytestmark = [pytest.mark.integration, pytest.mark.asyncio(loop_scope="session")]

CURRENT = '\\version "2.24.0"\n'
#: Grace notes, ties, chords, a triplet, two voices, transposition, a tremolo, drums, tablature, chord names.
RICH = r"""
\new PianoStaff <<
  \new Staff \relative c' {
    \grace d8 c4~ c8 <e g>8 \tuplet 3/2 { a8 b c } r4 | << { c4 d } \\ { e,2 } >> \hide NoteHead c2
  }
  \new Staff { \clef bass \transpose c d { c4 des e2 } \repeat unfold 2 { c4 } \repeat tremolo 8 c32 }
  \new DrumStaff \drummode { bd4 sn }
  \new TabStaff { c4 }
  \new ChordNames \chordmode { c1 }
>>"""


async def rendered(engine, limits, score, **options):
    job = LilypondJob((CURRENT + score).encode(), options=Options(**options), limits=limits)
    return await engine.render(job)


async def notes(engine, limits, score, **options):
    rendering = await rendered(engine, limits, score, want_notes=True, **options)
    assert rendering.verdict is Verdict.RENDERED
    return rendering.notes


async def test_nobody_who_does_not_ask_gets_notes(engine, limits):
    assert (await rendered(engine, limits, "{ c' }")).notes is None


async def test_notes_are_those_that_are_engraved_warm_and_cold_with_the_same_image(engine, limits):
    plain = await rendered(engine, limits, RICH)
    warm = await rendered(engine, limits, RICH, want_notes=True)
    cold = await rendered(engine, limits, RICH, want_notes=True, cold=True)
    footers = await notes(engine, limits, RICH, no_footers=False)
    cairo = await notes(engine, limits, RICH, backend=LilypondBackend.CAIRO)
    assert warm.notes == cold.notes == footers == cairo
    assert plain.pictures == warm.pictures == cold.pictures
    assert not warm.notes.truncated
    staves = [[note for note in warm.notes.notes if note.staff == staff] for staff in range(5)]
    assert list(map(len, staves)) == [11, 6, 2, 1, 0]
    upper, lower, drums, _, _ = staves
    grace, first = upper[:2]
    assert (grace.grace, grace.duration, grace.pitch.step) == (Fraction(-1, 8), Fraction(1, 8), 1)
    assert (first.onset, first.duration, first.tie) == (Fraction(0), Fraction(1, 4), True)
    assert [one.duration for one in upper if one.onset.denominator == 12] == [Fraction(1, 12)]
    assert {one.voice for one in upper if one.onset.numerator / one.onset.denominator >= 1} == {1, 2}
    assert [one.pitch for one in lower][:2] == [
        Pitch(3, 1, Fraction(0), 50.0),
        Pitch(3, 2, Fraction(-1, 2), 51.0),
    ]
    assert lower[-1].duration == Fraction(1, 4)
    assert [drum.drum for drum in drums] == ["bassdrum", "snare"]


async def test_relative_absolute_and_transposed_spellings_have_the_same_notes(engine, limits):
    first = await notes(engine, limits, r"\relative c' { c8 d e f g4 <c e> }")
    assert first == await notes(engine, limits, "{ c'8 d' e' f' g'4 <c'' e''> }")
    assert first == await notes(engine, limits, r"{ \transpose d c { d'8 e' fis' g' a'4 <d'' fis''> } }")
    assert first == await notes(
        engine, limits, r"#(set-global-staff-size 22) up = { e''} { c'8 d' e' f' g'4 << c'' \up >> }"
    )
    assert len(first.notes) == 7


async def test_names_that_a_score_defines_do_not_change_what_is_noted(engine, limits):
    names = " ".join(f"{name} = {{ d'1 }}" for name in ("notes", "heads", "main", "scores", "what"))
    score = f"{names}\n\\layout {{ \\context {{ \\Voice \\remove Stem_engraver }} }} {{ c'4 \\main }}"
    assert len((await notes(engine, limits, score)).notes) == 2


async def test_several_scores_are_counted(engine, limits):
    got = await notes(engine, limits, r"\score { { c'1 } \layout { } \midi { } } \score { { d'1 } }")
    assert [(note.score, note.pitch.step) for note in got.notes] == [(0, 0), (1, 1)]


async def test_a_page_without_notes_has_none(engine, limits):
    assert await notes(engine, limits, r"\markup Text") == ScoreNotes()


async def test_notes_that_a_score_writes_itself_are_bounded(engine, limits):
    forged = (
        '#(with-output-to-file "score.notes" (lambda () (for-each (lambda (i) (display "{}\\n")) (iota {}))))'
    )
    many = forged.format("0 0 0 0 - 1/4 0,0,0 0", MOST_NOTES + 5) + "{ c'1 }"
    got = await notes(engine, limits, many)
    assert (len(got.notes), got.truncated) == (MOST_NOTES, True)
    junk = await notes(engine, limits, forged.format("x" * 90, 40_000) + "{ c'1 }")
    assert (junk.notes, junk.truncated) == ((), True)
