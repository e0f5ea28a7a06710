\version "2.24.0"

music = \relative c, {
  \time 4/4
  e8\6 b'\5 e\4 g\3 b\2 e\1 b g | c,8\5 e\4 g\3 c\2 e\1 c g e |
  d4 <fis a>8 d a'4\glissando b | <e, b' e gis b e>1
}

\new StaffGroup <<
  \new Staff { \clef "treble_8" \key e \minor \music }
  \new TabStaff { \clef moderntab \music \bar "|." }
>>
