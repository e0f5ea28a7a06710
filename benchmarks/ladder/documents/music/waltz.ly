\version "2.24.0"
\relative c'' {
  \key g \major \time 3/4
  d4 b g | e' c a | fis2 a4 | g2. | b8 a g4 d' | c b a | d, fis a | g2 r4 \bar "|."
}
