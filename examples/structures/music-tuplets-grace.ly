\version "2.24.3"

\relative c'' {
  \clef treble
  \time 2/4
  \tuplet 3/2 { c8( d e } \tuplet 3/2 { f e d) } |
  \grace { d16 e } f4\trill \appoggiatura f8 e4 |
  \tuplet 5/4 { c16 d e f g } \tuplet 3/2 4 { a8 g f e d c } b8-> r |
  \acciaccatura d8 c4\prall \afterGrace b4\startTrillSpan { a16\stopTrillSpan b } |
  \tuplet 3/2 { c4 e g } | c2\espressivo \bar "|."
}
