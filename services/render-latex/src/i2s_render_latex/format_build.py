"""Dump the format of a preamble in a jail, and refuse one that would not hold all of it."""

from __future__ import annotations

import asyncio
import zlib
from dataclasses import replace

from i2s_chassis.jail import Cause, Cell, Jail, OutputError
from i2s_chassis.limits import Limits
from i2s_render_latex.document import JOB_NAME, LOG, SOURCE
from i2s_render_latex.format_source import NOT_DUMPED, source
from i2s_render_latex.log import first_error
from i2s_render_latex.tex import dump_command
from i2s_render_latex.texlive import ENVIRONMENT, Installation

_FORMAT = f"{JOB_NAME}.fmt"
_RECORD = f"{JOB_NAME}.fls"
_MIB = 1024 * 1024

#: A format is larger than most that a job writes: 20 MiB for a long preamble.
MAX_FORMAT_BYTES = 256 * _MIB
_LIMITS = Limits(
    cpu_seconds=20.0,
    wall_seconds=120.0,
    file_bytes=MAX_FORMAT_BYTES,
    disk_bytes=MAX_FORMAT_BYTES + 16 * _MIB,
)
_LOG_BYTES = _MIB


class FormatError(Exception):
    """No format can be made of a preamble; says why. Its documents are compiled cold."""


async def build_format(jail: Jail, installation: Installation, preamble: bytes) -> bytes:
    """Return the format of a preamble, uncompressed.

    Raises:
        FormatError: TeX refused the preamble, or it does something that a format cannot hold.
        JailError: A fault of the jail.
    """
    for primitive in NOT_DUMPED:
        if primitive in preamble:
            raise FormatError(f"{primitive.decode()} has an effect that no format holds")
    limits = replace(_LIMITS, log_bytes=_LOG_BYTES)
    async with jail.cell(limits, {SOURCE: source(preamble)}, readable=installation.readable) as cell:
        ended = await cell.run(dump_command(), env=ENVIRONMENT)
        files = await cell.list()
        if ended.cause is not Cause.EXITED or ended.exit_code != 0 or _FORMAT not in files:
            raise FormatError(await _reason(cell, ended.cause))
        extra = sorted(files.keys() - {SOURCE, LOG, _FORMAT, _RECORD})
        if extra:
            # A job that uses the format would miss the file, or the stream that writes it.
            raise FormatError(f"the preamble writes files ({', '.join(extra)[:200]})")
        try:
            maps = _font_maps(await cell.fetch(_RECORD, _MIB))
            dumped = await cell.fetch(_FORMAT)
        except OutputError as error:
            raise FormatError(str(error)) from error
    if maps:
        raise FormatError(f"the preamble reads a font map ({maps[0]}), which no format holds")
    return await asyncio.to_thread(_uncompressed, dumped)


async def _reason(cell: Cell, cause: Cause) -> str:
    if cause is not Cause.EXITED:
        return f"the preamble ran into a limit ({cause.value})"
    try:
        log = await cell.excerpt(LOG, _LOG_BYTES, _LOG_BYTES)
    except OutputError:
        return "TeX dumped nothing and left no log"
    error = first_error(log.whole.decode(errors="replace"))
    return error.message if error else "TeX dumped nothing"


def _font_maps(record: bytes) -> list[str]:
    """Return the maps of fonts among the files that TeX says it has read."""
    lines = record.decode(errors="replace").splitlines()
    read = [line.removeprefix("INPUT ") for line in lines if line.startswith("INPUT ")]
    # Other names of fonts, which the search of files looks up afresh in every run.
    return [path for path in read if path.endswith(".map") and not path.endswith("/texfonts.map")]


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
