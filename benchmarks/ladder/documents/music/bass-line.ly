\version "2.24.0"
\relative c {
  \clef bass \key c \major \time 4/4
  c4 e g a | bes a g e | f a c d | ees d c a | g8 g a b c4 g | c, r c2 \bar "|."
}
