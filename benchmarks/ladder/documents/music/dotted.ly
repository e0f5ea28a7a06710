\version "2.24.0"
\relative c' {
  \key d \minor \time 4/4
  d4. e8 f4 a | a4. g8 f2 | bes4. a8 g4 e | cis'2 a | d4.( c8) bes4-. a-. | g4. f8 e4 a, | d1 \fermata \bar "|."
}
