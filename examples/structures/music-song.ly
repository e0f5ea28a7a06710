\version "2.18.2"

\header {
  title = "Evening Row"
  composer = "Anonymous"
}

melody = \relative c' {
  \key g \major
  \time 2/4
  \partial 4 d4 | g8. a16 b8 g | a4 d, | b'8 c d b | a2~ | a4 r \bar "|."
}

\score {
  <<
    \new Voice = "tune" { \autoBeamOff \melody }
    \new Lyrics \lyricsto "tune" {
      \set stanza = "1. "
      The oars go down, the oars go up, the lake is still. __
    }
    \new Lyrics \lyricsto "tune" {
      \set stanza = "2. "
      The bells be -- gin, the bells are done, and night will fall. __
    }
  >>
  \layout { }
}
