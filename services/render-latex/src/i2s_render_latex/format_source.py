r"""The TeX source from which a format is dumped: the preamble, and then \dump with nothing lost.

Some packages put invisible things on the main vertical list while they are loaded (colour stack
operations, delayed writes). A bare ``\dump`` makes TeX flush that list through LaTeX's output
routine first, which leaves it, with a 10 pt box below, in ``\@holdpg``; there it moves the floats
of the first page. Here the list is taken off into a box register by an output routine of our own,
and put back by the format's ``\everyjob``: a job begins with the very list it would have had.
"""

from __future__ import annotations

# High enough that no allocation reaches it; naming it allocates nothing.
_BOX = 32766

# The output routine sees the list, the \topskip glue that the empty box brings, that box, and the
# \vfil; it takes the last three away again. \pdfcolorstackinit answers 1 where nobody has made a
# colour stack; pdfTeX does not dump them.
_DEFINITION = rf"""\def\itwosdump{{\begingroup
\xdef\itwosrestore{{\prevdepth\the\prevdepth\relax}}%
\output{{\global\setbox{_BOX}\vbox{{\unvbox255 \unskip\setbox0\lastbox\unskip}}\global\deadcycles0 }}%
\hbox{{}}\vfil\penalty-10000 \endgroup
\ifnum\pdfcolorstackinit page{{0 g 0 G}}=1 \else\errmessage{{a colour stack cannot be dumped}}\fi
\everyjob\expandafter{{\the\everyjob\unvbox{_BOX} \itwosrestore}}%
\dump}}
"""

#: Primitives whose effect a format does not keep. Their names in a preamble rule out a format.
NOT_DUMPED = (b"\\pdfmapfile", b"\\pdfmapline", b"\\openin")


def source(preamble: bytes) -> bytes:
    """Return what initial TeX, on top of the pdflatex format, dumps as the format of a preamble."""
    return _DEFINITION.encode() + preamble + b"\n\\itwosdump\n"
