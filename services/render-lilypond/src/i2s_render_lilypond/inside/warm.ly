\version "2.24.0"
% What a process typesets once so that the fonts and rules of most scores are loaded before the first of them.
\header { title = "Warm" subtitle = \markup \italic "up" composer = "x" piece = "y" opus = "1" }
melody = \relative c' {
  \key d \major \time 3/4 \tempo "Allegro" 4 = 120
  \partial 4 d8(\p e) | fis4-. \< g-> a-\trill | b2.~\! | b8[ cis] \tuplet 3/2 { d( cis b) } a4\fermata \breathe |
  \acciaccatura b8 a4 \grace { g16 a } g4\mf \turn fis | \repeat volta 2 { e2 r4 } \alternative { { d2. } { d2 r8 r16 r } }
  \clef bass d,4 \sustainOn <d fis a>2 \arpeggio \sustainOff | \time 2/2 \key bes \minor bes1\ff \cresc | ges'2\! aes, \bar "|."
}
\score {
  <<
    \new ChordNames \chordmode { s4 d2. g:m7 a:7 b:maj7/fis }
    \new FretBoards \chordmode { s4 c2. }
    \new Staff \with { instrumentName = "Flute" } << { \melody } \\ { s4 a2. d, a' } >>
    \addlyrics { \set stanza = "1." One two -- three four __ five six }
    \new PianoStaff <<
      \new Staff { \clef treble s4 <c' e' g'>4\staccato^"dolce" _\markup { \bold x \dynamic f } r2 c''2.-1 c''4-5\prall 8 8 16 16 16 16 }
      \new Staff { \clef bass s4 c2. \ottava #-1 c,2. \ottava #0 c2.:32 }
    >>
    \new DrumStaff \drummode { s4 bd4 sn hh bd8 sn hhc hho cymc4 }
    \new TabStaff { s4 c'4 d' e' f'2. }
  >>
  \layout { }
}
\markup { Text \sans sans \typewriter type \small small \huge huge \number 12 \natural \sharp \flat }
