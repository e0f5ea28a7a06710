\version "2.12.3"

\new StaffGroup <<
  \new Staff {
    \set Staff.instrumentName = #"Violin"
    \relative c'' {
      \key bes \major
      \override TextScript #'padding = #2
      \times 2/3 { bes8 c d } ees4^\markup { \italic "dolce" } d c |
      \once \override NoteHead #'style = #'cross
      bes4 \times 2/3 { f'8( ees d) } c2\espressivo |
      d16 c bes a bes4\< c d | ees2\! d
    }
  }
  \new Staff {
    \set Staff.instrumentName = #"Cello"
    \relative c {
      \clef bass
      \key bes \major
      bes4 d \override Stem #'direction = #DOWN g f | \revert Stem #'direction
      ees2 \times 2/3 { f4 a c } | bes2~ bes4 bes, | f'2 bes, \bar "|."
    }
  }
>>
