"""Dump the format of a head in a jail, and refuse one that would not hold all of it."""

from __future__ import annotations

import asyncio
import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from i2s_chassis.jail import Cause, Cell, Ended, Jail, OutputError
from i2s_chassis.limits import Limits
from i2s_render_latex.document import JOB_NAME, LOG, PDF, SOURCE
from i2s_render_latex.format_source import NOT_DUMPED, OF_FONTS, dump_of
from i2s_render_latex.log import first_error
from i2s_render_latex.searches import ENVIRONMENT_OF_SEARCHES, own_file
from i2s_render_latex.split import BEGIN
from i2s_render_latex.stable import AUX
from i2s_render_latex.tex import dump_command
from i2s_render_latex.texlive import ENVIRONMENT, Installation

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

# TeX breaks lines that are longer than max_print_line (texlive.ENVIRONMENT).
_LONG_LINE = re.compile(r"(?m)^.{1000}")
# pdfTeX reserves 256 words when a code of a font is set for the first time (\lpcode, \efcode, \knbscode ...).
_MEMORY_OF_FONTS = re.compile(r"(?m)^(\d+) words of pdfTeX memory$")
# "cmr10+20", as \pdffontexpand makes it, "cmr10+100ls" of \letterspacefont, "///...cmr10" of \pdfcopyfont.
_FONT_MADE_OF_ANOTHER = re.compile(r"(?m)=(///.*|[^=\n]*[+-]\d+(?:ls)?)(?: at .*)?$")


class FormatError(Exception):
    """No format can be made of a head; says why. Its documents are compiled without.

    Attributes:
        cpu_seconds: What the attempt has used.
    """

    cpu_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Built:
    """A format.

    Attributes:
        dumped: Its content, uncompressed.
        cpu_seconds: What its build has used.
    """

    dumped: bytes = field(repr=False)
    cpu_seconds: float = 0.0


async def build_format(
    jail: Jail,
    installation: Installation,
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


async def _dumped(cell: Cell, ended: Ended, installation: Installation, begun: bool, proof: str) -> bytes:
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
    found = (Path(line.removeprefix("INPUT ")) for line in lines if line.startswith("INPUT "))
    return list(dict.fromkeys(found))


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
    return next((one.decode() for one in primitives if one in text), "")


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
