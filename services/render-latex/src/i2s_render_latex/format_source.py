r"""How a format is dumped from the head of a document, so that nothing is lost and nothing shows.

The head is a preamble, or a preamble and ``\begin{document}``: what packages do there is most of what is
left to do of a short document. It stands in the source file as it does in the document, from line 1 on. What
dumps it is defined before, on the command line, by random names and with copies of the
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

Some commands have an effect that no format keeps and that leaves no trace in TeX's report of the dump:
``GUARDED``. While a head is read, they and ``\pdfprimitive``, which reaches them by any name, are macros that
end the build when they are used. The dump gives them back, and copies that packages have made of the macros
become the commands again.

The last act before the dump is to write ``Dump.proof`` to the log. No name that a head can find leads to it,
so a format that the head itself has dumped is known by its absence.

What is left: a head whose last command reads beyond its end (``\futurelet``, an argument,
``\afterassignment``) finds our command there instead of ``\begin``. It can see by that that it is being
dumped, and take our macros apart by ``\meaning``, with the proof in them. And ``\meaning`` shows that a
guarded command is a macro, to a head that assembles its name from parts. The format of a head that a sender
wrote serves that head alone, so a sender can make only the images of its own documents depend on this.
"""

from __future__ import annotations

import re
import secrets
import string
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from i2s_render_latex.split import BEGIN

# High enough that no allocation reaches it; naming it allocates nothing.
_BOX = 32766
_STREAMS_CLOSED = " ".join(
    rf"\ifeof{stream} \else\itwosfail{{a file that is being read}}\fi" for stream in range(16)
)
_NAME_LENGTH = 24
_PROOF = "PROOF"

#: Commands that a head cannot use while it is dumped, and the names that LaTeX gives them besides.
GUARDED = {
    "pdfmapfile": ("pdfmapfile", "tex_mapfile:D"),
    "pdfmapline": ("pdfmapline", "tex_mapline:D"),
    "pdffontattr": ("pdffontattr", "tex_pdffontattr:D"),
    "pdfprimitive": ("pdfprimitive", "tex_primitive:D"),
}


def _named(name: str, is_as: str, then: str) -> str:
    """Return TeX that does something if a name is defined and its meaning is that of a command."""
    command = rf"\csname {name}\endcsname"
    return (
        rf"\ifcsname {name}\endcsname\expandafter\ifx{command}{is_as}"
        rf"\expandafter\let{command}{then}\fi\fi "
    )


def _guard(command: str, names: tuple[str, ...]) -> str:
    """Return TeX that makes all names of a command a macro that ends the build."""
    kept, use, guard = (rf"\itwos{part}{command}" for part in ("kept", "use", "guard"))
    take = "".join(_named(name, kept, guard) for name in names)
    return (
        rf"\let{kept}\{command} \def{use}{{\itwosrefuse{{{command} has an effect that no format holds}}}}"
        rf"\protected\def{guard}{{{use}}}{take}"
    )


def _give_back(command: str, names: tuple[str, ...]) -> str:
    """Return TeX that makes all names of a command, and copies of the macro, what they were."""
    kept, use, guard = (rf"\itwos{part}{command}" for part in ("kept", "use", "guard"))
    return "".join(_named(name, guard, kept) for name in names) + rf"\let{use}{kept}"


# By another name than that of the checks: a head can find it by \meaning.
_GUARD = r"\let\itwosrefuse\errmessage " + "".join(
    _guard(command, names) for command, names in GUARDED.items()
)
_GIVE_BACK = "".join(_give_back(command, names) for command, names in GUARDED.items())

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
\ifnum\newlinechar=10 \else\itwosfail{{another end of lines}}\fi
\count1=\pdfuniformdeviate 1000000000 \relax\pdfsetrandomseed 1 \count2=\pdfuniformdeviate 1000000000 \relax
\ifnum\count1=\count2 \else\itwosfail{{the state of the random numbers}}\fi
{_STREAMS_CLOSED}
\ifnum\pdfcolorstackinit page{{0 g 0 G}}=1 \else\itwosfail{{a colour stack}}\fi
\endgroup}}
\def\itwosdump{{\itwoscheck\begingroup
\xdef\itwosrestore{{\prevdepth\the\prevdepth\relax}}%
\everyhbox{{}}\everyvbox{{}}%
\output{{\global\setbox{_BOX}\vbox{{\unvbox255 \unskip\setbox0\lastbox\unskip}}\global\deadcycles0 }}%
\hbox{{}}\vfil\penalty-10000 \endgroup
\edef\itwosjob{{\everyjob{{\the\everyjob}}}}%
\everyjob{{\itwosjob\itwosboot\itwosaux\unvbox{_BOX} \itwosrestore}}%
{_GIVE_BACK}\immediate\write-1{{{_PROOF}}}\dump}}
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
{_GUARD}\catcode`\@=12
"""
_OUR_NAME = re.compile(r"\\itwos([a-z]+)")
# Primitives that the checks and the dump stand on; a head may give their names another meaning.
_PRIMITIVES = re.compile(
    r"\\(ifnum|ifvoid|ifeof|ifdim|else|fi|errmessage|year|month|day|time|count|pdfuniformdeviate|"
    r"pdfsetrandomseed|pdfcolorstackinit|begingroup|endgroup|xdef|edef|prevdepth|the|relax|output|global|setbox|"
    r"vbox|unvbox|unskip|lastbox|deadcycles|hbox|vfil|penalty|everyjob|dump|pagegoal|immediate|closeout|gdef|"
    r"let|openout|openin|closein|readline|endlinechar|expandafter|noexpand|unexpanded|write|jobname|"
    r"ignorespaces|everyhbox|everyvbox|newlinechar|ifcsname|csname|endcsname|ifx|def|protected)(?![a-zA-Z@])"
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
        proof: The line that stands in the log right before TeX's report, if the dump is ours.
    """

    definition: str
    source: bytes
    proof: str


def dump_of(head: bytes) -> Dump:
    """Return how the format of a head is dumped; every call takes other names."""
    names: defaultdict[str, str] = defaultdict(_random_letters)
    end = "\\itwosbegun" if head.endswith(BEGIN) else "\n\\itwosdump"
    definition = _named_anew(_on_one_line(_DEFINITION), names).replace(_PROOF, names[_PROOF])
    return Dump(definition, head + _named_anew(end, names).encode() + b"\n", names[_PROOF])


def _random_letters() -> str:
    return "".join(secrets.choice(string.ascii_letters) for _ in range(_NAME_LENGTH))


def _on_one_line(text: str) -> str:
    """Return a definition on one line, with copies of the primitives."""
    line = text.replace("%\n", "").replace("\n", " ").strip()
    place = line.index("\\def\\itwosfail")
    used = sorted(set(_PRIMITIVES.findall(line[place:])))
    copies = "".join(rf"\let\itwosof{name}\{name} " for name in used)
    return line[:place] + copies + _PRIMITIVES.sub(r"\\itwosof\1", line[place:])


def _named_anew(text: str, names: Mapping[str, str]) -> str:
    """Return TeX with the random name of each of our own: none of them leads to another."""
    return _OUR_NAME.sub(lambda name: "\\" + names[name[1]], text)
