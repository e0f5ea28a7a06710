\version "2.20.0"

upper = \relative c'' {
  \clef treble
  \key ees \major
  \time 6/8
  r8 g( bes ees4.) | \acciaccatura f8 g8( f ees d c bes) |
  c8-. d-. ees-. <bes ees g>4. | <aes d f>4.( <g bes ees>)
}

lower = \relative c {
  \clef bass
  \key ees \major
  ees8\sustainOn bes' g' ees,4. | aes8 ees' c' bes,, f'' d |
  aes8 ees' aes bes, ees g | bes,4. <ees, bes'>4.\sustainOff \bar "|."
}

\score {
  \new PianoStaff \with { instrumentName = "Piano" } <<
    \new Staff = "up" \upper
    \new Dynamics { s2.\mf | s2.\> | s4. s4.\! | s4.\p s }
    \new Staff = "down" \lower
  >>
  \layout { indent = 18\mm }
}
