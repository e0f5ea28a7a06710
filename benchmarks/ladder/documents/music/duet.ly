\version "2.24.0"
\new Staff <<
  \relative c'' { \key a \major \time 4/4 cis4 d e a | gis fis e2 | d4 cis b e | cis1 } \\
  \relative c' { a4 b cis2 | e4 d cis2 | fis4 e gis,2 | a1 }
>>
