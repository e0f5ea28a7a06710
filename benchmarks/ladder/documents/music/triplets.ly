\version "2.24.0"
\relative c'' {
  \time 4/4
  \tuplet 3/2 { g8 a b } c4 e2 | \tuplet 3/2 { d8 c b } a4 f2 | g4 \tuplet 3/2 { e8 f g } a4 b | c1 \bar "|."
}
