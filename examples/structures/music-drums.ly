\version "2.24.0"

up = \drummode {
  crashcymbal4 hihat8 hh hh hh openhihat hh | hh8 hh <sn hh>8 hh hh16 hh hh8 <sn hh> hho |
  \repeat percent 2 { hh8 hh sn hh hh hh sn hh } | cymr4 rb sn8 toml tomfh16 tomfh tomfl tomfl | cymc1
}
down = \drummode {
  bassdrum4 snare8 bd r bd sn4 | bd4 s8 bd bd4 s | bd4 s8 bd8 r8 bd4 s8 | bd4 s8 bd8 r8 bd4 s8 | bd4 bd bd bd | bd1
}

\new DrumStaff \with { drumStyleTable = #drums-style } <<
  \new DrumVoice { \voiceOne \up }
  \new DrumVoice { \voiceTwo \down \bar "|." }
>>
