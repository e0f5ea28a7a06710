\version "2.24.0"

\relative c'' {
  \key d \major
  \time 3/4
  \tempo "Andante" 4 = 84
  d4\p( cis8 b a4) | fis'4.( e8) d4 | e4-. e-. e-. | a,2.~ |
  a4 b8( cis d e) | fis2\< g4 | a4\f( g8 fis e cis) | d2.\fermata \bar "|."
}
