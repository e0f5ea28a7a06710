\version "2.24.0"
\new ChoirStaff <<
  \new Staff \relative c'' { \key aes \major \time 4/4 <c ees,>4 <bes ees,> <aes c,> <bes des,> | <c ees,>2 <ees g,> | <des f,>4 <c ees,> <bes des,>2 | <aes c,>1 }
  \new Staff \relative c { \clef bass \key aes \major \time 4/4 <aes aes'>4 <g ees'> <f aes'> <ees g'> | <aes ees'>2 <c c'> | <bes f'>4 <c ees> <ees g>2 | <aes, ees'>1 }
>>
