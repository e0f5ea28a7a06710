"""Dump the format of a head in a jail, so that nothing is lost and nothing shows, and refuse what fails."""

from __future__ import annotations

import asyncio
import re
import secrets
import string
import zlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from types import MappingProxyType

from i2s_chassis.jail import Cause, Cell, Ended, Jail, OutputError
from i2s_chassis.limits import Limits
from i2s_render_latex.compile import AUX
from i2s_render_latex.document import BEGIN, JOB_NAME, LOG, PDF, SOURCE
from i2s_render_latex.installation import ENVIRONMENT, LatexInstallation
from i2s_render_latex.log import first_error
from i2s_render_latex.programs import dump_command

#: Files beside a document that a preamble does not load unless it looks for them.
PICTURES_AND_DATA = (".png", ".jpg", ".jpeg", ".pdf", ".csv", ".dat", ".tsv")

_SEARCH = re.compile(r"kdebug:returning from generic search\(\[([^\]\n]*)\]\) =>(.*)")

#: What makes kpathsea write its searches to standard error (KPSE_DEBUG_SEARCH). With any debugging on, TeX
#: also leaves the beginnings of a PDF that it otherwise removes.
ENVIRONMENT_OF_SEARCHES: Mapping[str, str] = MappingProxyType({"KPATHSEA_DEBUG": "32"})


def own_file(searches: str, begun: bool) -> str:
    r"""Return the first look that another job could have had answered otherwise; empty for none.

    Args:
        searches: What kpathsea wrote; what TeX wrote may stand between its lines, and can add looks alone.
        begun: Whether ``\begin{document}`` was among it, which looks for the .aux file. It serves first runs
            alone, in which there is none.
    """
    sources = 0
    names: str
    found: str
    for names, found in _SEARCH.findall(searches):
        path = found.strip()
        sources += path in (SOURCE, f"./{SOURCE}")
        if path in (SOURCE, f"./{SOURCE}") and sources == 1:
            continue  # the head itself
        wanted = [PurePosixPath(name).name.lower() for name in names.split()]
        if begun and AUX in wanted and (not path or path in (AUX, f"./{AUX}")):
            continue
        if path and not path.startswith("/"):
            return path
        if not path and any(name.startswith(f"{JOB_NAME}.") or _is_beside(name) for name in wanted):
            return names
    return ""


def _is_beside(name: str) -> bool:
    return name.endswith(PICTURES_AND_DATA)


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


def _if_named(name: str, is_as: str, then: str) -> str:
    """Return TeX that does something if a name is defined and its meaning is that of a command."""
    command = rf"\csname {name}\endcsname"
    return (
        rf"\ifcsname {name}\endcsname\expandafter\ifx{command}{is_as}"
        rf"\expandafter\let{command}{then}\fi\fi "
    )


def _guard(command: str, names: tuple[str, ...]) -> str:
    """Return TeX that makes all names of a command a macro that ends the build."""
    kept, use, guard = (rf"\itwos{part}{command}" for part in ("kept", "use", "guard"))
    take = "".join(_if_named(name, kept, guard) for name in names)
    return (
        rf"\let{kept}\{command} \def{use}{{\itwosrefuse{{{command} has an effect that no format holds}}}}"
        rf"\protected\def{guard}{{{use}}}{take}"
    )


def _give_back(command: str, names: tuple[str, ...]) -> str:
    """Return TeX that makes all names of a command, and copies of the macro, what they were."""
    kept, use, guard = (rf"\itwos{part}{command}" for part in ("kept", "use", "guard"))
    return "".join(_if_named(name, guard, kept) for name in names) + rf"\let{use}{kept}"


# By another name than that of the checks: a head can find it by \meaning.
_GUARD = r"\let\itwosrefuse\errmessage " + "".join(
    _guard(command, names) for command, names in GUARDED.items()
)
_GIVE_BACK = "".join(_give_back(command, names) for command, names in GUARDED.items())

# The output routine sees the list, the \topskip glue that the empty box brings, that box, and the
# \vfil; it takes the last three away again. \pdfcolorstackinit answers 1 where nobody has made a
# colour stack; pdfTeX does not dump them. Nor does it dump the date (programs.SOURCE_DATE_EPOCH), the random
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
    """The source that initial TeX, on top of the pdflatex format, is given to dump the format of a head."""

    #: TeX on the command line, before the source file is read.
    definition: str
    #: Content of the source file.
    source: bytes
    #: The line that stands in the log right before TeX's report, if the dump is ours.
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


_FORMAT = f"{JOB_NAME}.fmt"
_RECORD = f"{JOB_NAME}.fls"
_MIB = 1024 * 1024

#: A format is larger than most that a job writes: 20 MiB for a long preamble.
MAX_FORMAT_BYTES = 256 * _MIB
_LOG_BYTES = _MIB
_SEARCHES_BYTES = 32 * _MIB
#: Limits of the cell in which a format is made.
LIMITS_OF_BUILD = Limits(
    cpu_seconds=10.0,
    wall_seconds=120.0,
    file_bytes=MAX_FORMAT_BYTES,
    disk_bytes=MAX_FORMAT_BYTES + 64 * _MIB,
    log_bytes=_SEARCHES_BYTES,
)
_WITH_MACROS = frozenset({".cfg", ".clo", ".cls", ".def", ".fd", ".sty", ".tex"})

# TeX breaks lines that are longer than max_print_line (installation.ENVIRONMENT).
_LONG_LINE = re.compile(r"(?m)^.{1000}")
# pdfTeX reserves 256 words when a code of a font is set for the first time (\lpcode, \efcode, \knbscode ...).
_MEMORY_OF_FONTS = re.compile(r"(?m)^(\d+) words of pdfTeX memory$")
# "cmr10+20", as \pdffontexpand makes it, "cmr10+100ls" of \letterspacefont, "///...cmr10" of \pdfcopyfont.
_FONT_MADE_OF_ANOTHER = re.compile(r"(?m)=(///.*|[^=\n]*[+-]\d+(?:ls)?)(?: at .*)?$")


class FormatError(Exception):
    """No format can be made of a head; says why. Its documents are compiled without."""

    #: What the attempt has used.
    cpu_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Built:
    """A format."""

    #: Its content, uncompressed.
    dumped: bytes = field(repr=False)
    #: What its build has used.
    cpu_seconds: float = 0.0


async def build_format(
    jail: Jail,
    installation: LatexInstallation,
    head: bytes,
    *,
    readable: tuple[Path, ...] = (),
    environment: Mapping[str, str] = ENVIRONMENT,
) -> Built:
    """Return the format of a head.

    Args:
        jail: Where TeX runs.
        installation: What it reads.
        head: A preamble, or one with ``split.BEGIN`` behind it.
        readable: What TeX must read outside of /usr; empty takes that of the installation.
        environment: Variables of TeX.

    Raises:
        FormatError: TeX refused it, or it does something that a format cannot hold.
        JailError: A fault of the jail.
    """
    begun = head.endswith(BEGIN)
    # The backslash is left out: a preamble may make a name of letters.
    lost = _named(head, [name.removeprefix(b"\\") for name in (*NOT_DUMPED, *OF_FONTS)])
    if lost:
        raise FormatError(f"{lost} has an effect that no format holds")
    dump = dump_of(head)
    readable = readable or installation.readable
    async with jail.cell(LIMITS_OF_BUILD, {SOURCE: dump.source}, readable=readable) as cell:
        env = {**environment, **ENVIRONMENT_OF_SEARCHES}
        ended = await cell.run(dump_command(dump.definition), env=env)
        try:
            dumped = await _dumped(cell, ended, installation, begun, dump.proof)
            plain = await asyncio.to_thread(_uncompressed, dumped)
        except FormatError as error:
            error.cpu_seconds = ended.usage.cpu_seconds
            raise
    return Built(plain, ended.usage.cpu_seconds)


async def _dumped(
    cell: Cell, ended: Ended, installation: LatexInstallation, begun: bool, proof: str
) -> bytes:
    """Return the format that a run has left, compressed, once it is known to hold everything.

    Raises:
        FormatError: There is none, or something is lost in it.
    """
    files = await cell.list()
    if ended.cause is not Cause.EXITED or ended.exit_code != 0 or _FORMAT not in files:
        raise FormatError(await _reason(cell, ended.cause))
    if PDF in files:
        # ENVIRONMENT_OF_SEARCHES makes TeX leave it. A job would refer to objects that its own PDF lacks, and
        # pdfTeX crash.
        raise FormatError("the preamble writes into the PDF, which no format holds")
    extra = sorted(files.keys() - {SOURCE, LOG, _FORMAT, _RECORD, *([AUX] if begun else ())})
    if extra:
        # A job that uses the format would miss the file, or the stream that writes it.
        raise FormatError(f"the preamble writes files ({', '.join(extra)[:200]})")
    try:
        record = await cell.fetch(_RECORD, _MIB)
        log = await cell.excerpt(LOG, 0, _LOG_BYTES)
        dumped = await cell.fetch(_FORMAT)
    except OutputError as error:
        raise FormatError(str(error)) from error
    refuse_other_dumps(log.whole.decode("latin-1"), proof)
    if ended.output.tail:
        raise FormatError(
            f"the preamble looks for too many files to list them ({ended.output.total_bytes} bytes)"
        )
    own = await asyncio.to_thread(own_file, ended.output.head.decode(errors="replace"), begun)
    if own:
        raise FormatError(f"the preamble looks for a file of its own job ({own[:200]})")
    await asyncio.to_thread(refuse_what_is_lost, files_read(record), begun, installation.roots)
    return dumped


async def _reason(cell: Cell, cause: Cause) -> str:
    if cause is not Cause.EXITED:
        return f"the preamble ran into a limit ({cause.value})"
    try:
        log = await cell.excerpt(LOG, _LOG_BYTES, _LOG_BYTES)
    except OutputError:
        return "TeX dumped nothing and left no log"
    error = first_error(log.whole.decode(errors="replace"))
    return error.message if error else "TeX dumped nothing"


def refuse_other_dumps(log: str, proof: str) -> None:
    """Look at what TeX has reported of a dump.

    Args:
        log: The end of the log.
        proof: The line that our own dump has written right before the report.

    Raises:
        FormatError: The head has dumped itself, or has changed fonts in a way that the format does not hold.
    """
    _, found, report = log.rpartition(f"\n{proof}\n")
    if not found:
        raise FormatError("the preamble dumps itself")
    if _LONG_LINE.search(report):
        raise FormatError("the preamble gives fonts names that are too long for the log")
    memory = _MEMORY_OF_FONTS.search(report)
    if memory is None or memory[1] != "0":
        raise FormatError("the preamble sets codes of fonts (lpcode and the like), which no format holds")
    font = _FONT_MADE_OF_ANOTHER.search(report)
    if font:
        raise FormatError(f"the preamble makes a font of another ({font[1]}), which no format holds")


def files_read(record: bytes) -> list[Path]:
    """Return the files that TeX says it has read, each once, in however many ways a job may spell it."""
    lines = record.replace(b"\0", b"").decode(errors="replace").splitlines()
    inputs = (Path(line.removeprefix("INPUT ")) for line in lines if line.startswith("INPUT "))
    return list(dict.fromkeys(inputs))


def refuse_what_is_lost(read: Sequence[Path], begun: bool, roots: Sequence[Path]) -> None:
    """Look through the files that a job says it has read.

    Args:
        read: Files that the job says it has read.
        begun: Whether the format is to hold more than the preamble.
        roots: The TeX trees.

    Raises:
        FormatError: One does something that no format holds, or is not of the trees.
    """
    for path in read:
        # texfonts.map: other names of fonts, which the search of files looks up afresh in every run.
        if path.suffix == ".map" and path.name != "texfonts.map":
            raise FormatError(f"the preamble reads a font map ({path}), which no format holds")
        if begun and path.suffix in _WITH_MACROS and path != Path(SOURCE):
            lost = _named(_macros(path, roots), OF_FONTS)
            if lost:
                raise FormatError(f"{path} uses {lost}, whose effect no format holds")


def _macros(path: Path, roots: Sequence[Path]) -> bytes:
    """Return a file of the TeX trees. What a job says that it has read may name any file of the machine."""
    if ".." in path.parts or not any(path.is_relative_to(root) for root in roots):
        raise FormatError(f"{path} was read and is not of the installation")
    try:
        return path.read_bytes()
    except OSError as error:
        raise FormatError(f"{path} cannot be read: {error.strerror}") from error


def _named(text: bytes, primitives: Iterable[bytes]) -> str:
    """Return the first of some primitives that a text names; empty for none."""
    return next((primitive.decode() for primitive in primitives if primitive in text), "")


def _uncompressed(dumped: bytes) -> bytes:
    """Return a format without the gzip that TeX puts around it: undoing it costs 200 ms a job."""
    gzip = 16 + zlib.MAX_WBITS
    unpacker = zlib.decompressobj(wbits=gzip)
    try:
        plain = unpacker.decompress(dumped, MAX_FORMAT_BYTES)
    except zlib.error as error:
        raise FormatError(f"the format is not gzip: {error}") from error
    if not unpacker.eof:
        raise FormatError(f"the format is larger than {MAX_FORMAT_BYTES} bytes or cut off")
    return plain
