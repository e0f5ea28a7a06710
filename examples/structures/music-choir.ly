\version "2.24.0"

global = { \key c \minor \time 4/4 }

\new ChoirStaff <<
  \new Staff \with { instrumentName = \markup \center-column { S A } } <<
    \global
    \new Voice = "soprano" \relative c'' { \voiceOne g4 g aes g | f8( ees) d4 ees2 | ees4 f g aes | g2 g\fermata }
    \new Voice = "alto" \relative c' { \voiceTwo ees4 ees f ees | c4 b c2 | c4 d ees f | d4( c) b2 }
  >>
  \new Lyrics \lyricsto "soprano" { Wait for the mor -- ning light, wait for the mor -- ning. }
  \new Staff \with { instrumentName = \markup \center-column { T B } } <<
    \global \clef bass
    \new Voice = "tenor" \relative c' { \voiceOne c4 c c c | aes4 g g2 | g4 aes bes c | g2 g }
    \new Voice = "bass" \relative c { \voiceTwo c4 bes aes c | f4 g c,2 | c4 bes aes f | g2 g \bar "|." }
  >>
>>
