r"""How a format is dumped from the head of a document, so that nothing is lost and nothing shows.

The head is a preamble, or a preamble and ``\begin{document}``: what packages do there is most of what is
left to do of a short document. It stands in the source file as it does in the document, from line 1 on. What
dumps it is defined before, on the command line, by names that nobody can guess and with copies of the
primitives, so that a head can neither look for it nor change what it does.

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

import re
import secrets
import string
from dataclasses import dataclass

from i2s_render_latex.split import BEGIN

# High enough that no allocation reaches it; naming it allocates nothing.
_BOX = 32766
_STREAMS_CLOSED = " ".join(
    rf"\ifeof{stream} \else\itwosfail{{a file that is being read}}\fi" for stream in range(16)
)
_NAME_LENGTH = 24

# The output routine sees the list, the \topskip glue that the empty box brings, that box, and the
# \vfil; it takes the last three away again. \pdfcolorstackinit answers 1 where nobody has made a
# colour stack; pdfTeX does not dump them. Nor does it dump the date (texlive.SOURCE_DATE_EPOCH), the random
# numbers and the streams, which are looked at here. A job runs the \everyjob that was there before the
# head, and then has that of the head, as if it had read it.
_DEFINITION = rf"""\catcode`\@=11
\let\itwosaux\empty
\edef\itwosboot{{\the\everyjob}}
\def\itwosfail#1{{\errmessage{{#1 cannot be dumped}}}}
\def\itwoscheck{{\begingroup
\ifnum\year=2024 \else\itwosfail{{another year}}\fi
\ifnum\month=1 \else\itwosfail{{another month}}\fi
\ifnum\day=1 \else\itwosfail{{another day}}\fi
\ifnum\time=0 \else\itwosfail{{another time}}\fi
\ifvoid{_BOX} \else\itwosfail{{a high box}}\fi
\count1=\pdfuniformdeviate 1000000000 \relax\pdfsetrandomseed 1 \count2=\pdfuniformdeviate 1000000000 \relax
\ifnum\count1=\count2 \else\itwosfail{{the state of the random numbers}}\fi
{_STREAMS_CLOSED}
\ifnum\pdfcolorstackinit page{{0 g 0 G}}=1 \else\itwosfail{{a colour stack}}\fi
\endgroup}}
\def\itwosdump{{\itwoscheck\begingroup
\xdef\itwosrestore{{\prevdepth\the\prevdepth\relax}}%
\output{{\global\setbox{_BOX}\vbox{{\unvbox255 \unskip\setbox0\lastbox\unskip}}\global\deadcycles0 }}%
\hbox{{}}\vfil\penalty-10000 \endgroup
\edef\itwosjob{{\everyjob{{\the\everyjob}}}}%
\everyjob{{\itwosjob\itwosboot\itwosaux\unvbox{_BOX} \itwosrestore}}%
\dump}}
\def\itwosbegun{{%
\ifdim\pagegoal=\maxdimen\else\itwosfail{{what is typeset already}}\fi
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
_OUR_NAME = re.compile(r"\\itwos(?=[a-z])")
# Primitives that the checks and the dump stand on; a head may give their names another meaning.
_PRIMITIVES = re.compile(
    r"\\(ifnum|ifvoid|ifeof|ifdim|else|fi|errmessage|year|month|day|time|count|pdfuniformdeviate|"
    r"pdfsetrandomseed|pdfcolorstackinit|begingroup|endgroup|xdef|edef|prevdepth|the|relax|output|global|setbox|"
    r"vbox|unvbox|unskip|lastbox|deadcycles|hbox|vfil|penalty|everyjob|dump|pagegoal|immediate|closeout|gdef|"
    r"let|openout|openin|closein|readline|endlinechar|expandafter|noexpand|unexpanded|write|jobname|"
    r"ignorespaces)(?![a-zA-Z@])"
)

#: Primitives whose effect a format does not keep, or that distinguish a build from a job. Their names in
#: a preamble rule out a format.
NOT_DUMPED = (b"\\pdfmapfile", b"\\pdfmapline", b"\\pdfelapsedtime", b"\\pdfresettimer")

#: Primitives that change a font in a way that no format keeps. Packages use them when the document begins,
#: so their names in any file that is read rule out a format that holds more than the preamble.
OF_FONTS = (
    b"\\lpcode", b"\\rpcode", b"\\efcode", b"\\tagcode", b"\\knbscode", b"\\stbscode", b"\\shbscode",
    b"\\knbccode", b"\\knaccode", b"\\pdffontexpand", b"\\pdffontattr", b"\\letterspacefont",
    b"\\pdfcopyfont", b"\\pdfnoligatures", b"\\pdfnobuiltintounicode",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Dump:
    """What initial TeX, on top of the pdflatex format, is given to dump the format of a head.

    Attributes:
        definition: TeX on the command line, before the source file is read.
        source: Content of the source file.
    """

    definition: str
    source: bytes


def dump_of(head: bytes) -> Dump:
    """Return how the format of a head is dumped; every call takes other names."""
    prefix = "\\" + "".join(secrets.choice(string.ascii_letters) for _ in range(_NAME_LENGTH))
    end = b"\\itwosbegun" if head.endswith(BEGIN) else b"\n\\itwosdump"
    return Dump(_with_names(_DEFINITION, prefix), head + _with_names(end.decode(), prefix).encode() + b"\n")


def _with_names(text: str, prefix: str) -> str:
    """Return a definition on one line, with copies of the primitives and with ``prefix`` in all names."""
    lines = text.replace("%\n", "").replace("\n", " ").strip() if text.count("\n") > 1 else text
    place = lines.find("\\def\\itwosfail")
    if place >= 0:
        names = sorted(set(_PRIMITIVES.findall(lines[place:])))
        copies = "".join(rf"\let\itwosof{name}\{name} " for name in names)
        body = _PRIMITIVES.sub(r"\\itwosof\1", lines[place:])
        lines = lines[:place] + copies + body
    return _OUR_NAME.sub(lambda _: prefix, lines)
