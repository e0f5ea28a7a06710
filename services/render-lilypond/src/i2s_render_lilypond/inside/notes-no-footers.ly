% Included before a score: both of these.
\include "no-footers.ly"
\include "notes.ly"
