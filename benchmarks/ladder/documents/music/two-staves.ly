\version "2.24.0"
\new PianoStaff <<
  \new Staff \relative c'' { \key d \major \time 3/4 a4 b cis | d2 a4 | g fis e | fis2. | b4 a g | fis e2 | d2. }
  \new Staff \relative c { \clef bass \key d \major \time 3/4 d2. | fis2 d4 | e2 a,4 | d2. | g,2 a4 | a2. | d2. }
>>
