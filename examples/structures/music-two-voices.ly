\version "2.22.2"

\new Staff {
  \key f \major
  \time 4/4
  <<
    \relative c'' {
      c4. bes8 a4 f | g8 a bes4 a2 | d4 c8 bes a4 g~ | g8 f e4 f2
    }
    \\
    \relative c' {
      f2 c4 d | e4 d8 e f4 c | bes4 e f c | d4 c8 bes a2
    }
  >>
  \bar "|."
}
