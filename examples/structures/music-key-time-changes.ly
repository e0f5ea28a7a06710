\version "2.24.0"

\relative c' {
  \clef alto
  \key a \minor
  \numericTimeSignature
  \time 4/4
  a'4 b c d | \time 5/8 e8 d c b a | \key fis \minor \time 3/4 gis4 a fis |
  \clef bass \time 7/8 cis8 d eis fis gis a b \bar "||"
  \key des \major \time 2/2 des2 aes | \clef treble \time 12/8 f'8 ges aes bes4. c8 des es f4. |
  \key c \major \time 4/4 \repeat volta 2 { g,4 c, e g } \alternative { { c1 } { c,1 } }
}
