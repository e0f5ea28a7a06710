r"""The TeX source from which a format is dumped: the head of a document, and then \dump with nothing lost.

The head is a preamble, or a preamble and ``\begin{document}``: what packages do there is most of what is
left to do of a short document.

Some packages put invisible things on the main vertical list while they are loaded (colour stack
operations, delayed writes). A bare ``\dump`` makes TeX flush that list through LaTeX's output
routine first, which leaves it, with a 10 pt box below, in ``\@holdpg``; there it moves the floats
of the first page. Here the list is taken off into a box register by an output routine of our own,
and put back by the format's ``\everyjob``: a job begins with the very list it would have had.

``\begin{document}`` opens the .aux file, which no format holds either: what it wrote there is read
back before the dump, and the format's ``\everyjob`` opens the file and writes it again. A job still reads
its own ``\begin{document}``, so that errors show the line as it is; there it only ends by ignoring blanks,
as the real one does.
"""

from __future__ import annotations

from i2s_render_latex.split import BEGIN

# High enough that no allocation reaches it; naming it allocates nothing.
_BOX = 32766

# The output routine sees the list, the \topskip glue that the empty box brings, that box, and the
# \vfil; it takes the last three away again. \pdfcolorstackinit answers 1 where nobody has made a
# colour stack; pdfTeX does not dump them.
_DEFINITION = rf"""\catcode`\@=11
\let\itwosaux\empty
\def\itwosdump{{\begingroup
\xdef\itwosrestore{{\prevdepth\the\prevdepth\relax}}%
\output{{\global\setbox{_BOX}\vbox{{\unvbox255 \unskip\setbox0\lastbox\unskip}}\global\deadcycles0 }}%
\hbox{{}}\vfil\penalty-10000 \endgroup
\ifnum\pdfcolorstackinit page{{0 g 0 G}}=1 \else\errmessage{{a colour stack cannot be dumped}}\fi
\everyjob\expandafter{{\the\everyjob\itwosaux\unvbox{_BOX} \itwosrestore}}%
\dump}}
\def\itwosbegun{{%
\ifdim\pagegoal=\maxdimen\else\errmessage{{what is typeset already cannot be dumped}}\fi
\immediate\closeout\@mainaux
\gdef\itwosaux{{\let\itwosbegin\begin\let\begin\itwosgoon\immediate\openout\@mainaux\jobname.aux }}%
\begingroup\endlinechar-1 \openin\@inputcheck\jobname.aux \itwosread\closein\@inputcheck\endgroup
\itwosdump}}
\def\itwosgoon#1{{\let\begin\itwosbegin\ignorespaces}}
\def\itwosread{{\readline\@inputcheck to\itwosline
\ifeof\@inputcheck\else
\xdef\itwosaux{{\unexpanded\expandafter{{\itwosaux}}%
\noexpand\immediate\noexpand\write\noexpand\@mainaux{{\itwosline}}}}%
\expandafter\itwosread\fi}}
\catcode`\@=12
"""

#: Primitives whose effect a format does not keep. Their names in a preamble rule out a format.
NOT_DUMPED = (b"\\pdfmapfile", b"\\pdfmapline", b"\\openin")

#: Primitives that change a font in a way that no format keeps. Packages use them when the document begins,
#: so their names in any file that is read rule out a format that holds more than the preamble.
OF_FONTS = (
    b"\\lpcode", b"\\rpcode", b"\\efcode", b"\\tagcode", b"\\knbscode", b"\\stbscode", b"\\shbscode",
    b"\\knbccode", b"\\knaccode", b"\\pdffontexpand", b"\\pdffontattr", b"\\letterspacefont",
    b"\\pdfcopyfont", b"\\pdfnoligatures", b"\\pdfnobuiltintounicode",
)  # fmt: skip


def source(head: bytes) -> bytes:
    """Return what initial TeX, on top of the pdflatex format, dumps as the format of a head."""
    end = b"\\itwosbegun" if head.endswith(BEGIN) else b"\n\\itwosdump"
    return _DEFINITION.encode() + head + end + b"\n"
