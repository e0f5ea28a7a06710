\version "2.24.0"
\relative c' {
  \key e \minor \time 6/8
  e4. g8 fis e | b'4. a8 g fis | g4 a8 b4 c8 | b2. | e4. d8 c b | a4. g8 fis e | fis4 g8 a4 dis,8 | e2. \bar "|."
}
