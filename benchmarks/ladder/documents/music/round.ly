\version "2.24.0"
\relative c' {
  \key f \major \time 4/4
  f4 g a f | f g a f | a bes c2 | a4 bes c2 | c8 d c bes a4 f | f c f2 \bar "|."
}
