\version "2.24.0"
\relative c'' {
  \key bes \major \time 2/4
  f,8. g16 a8 bes | c4 d | ees8 d c bes | a4 f | bes8. c16 d8 ees | f4 d | c8 a f a | bes2 \bar "|."
}
