% Included before a score: writes down the notes that are engraved, see notes.scm.
\layout { \context { \Score \consists Note_recorder_engraver } }
