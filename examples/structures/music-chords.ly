\version "2.24.1"

<<
  \new ChordNames \chordmode {
    g1 | e:m7 | c:maj7 | d2:sus4 d:7 | g1/b
  }
  \new Staff \relative g {
    \key g \major
    <g b d g>4 q8 q <g b e>2 | <e g b d>2. r4 | <c e g b>4 <e g b> <g b e> <b e g> |
    <a d g>2\arpeggio <a c d fis> | <b d g>1 \bar "||"
  }
>>
