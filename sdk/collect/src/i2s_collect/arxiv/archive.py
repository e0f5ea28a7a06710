"""The files of a paper out of what arXiv sends: an archive, one compressed file, or no source at all."""

from __future__ import annotations

from i2s_sdk.instances.site_files import gunzip, read_tar

#: Name of the file if a paper is a single one.
SINGLE_FILE = "paper.tex"

_GZIP, _PDF, _POSTSCRIPT = b"\x1f\x8b", b"%PDF", b"%!PS"
_USTAR = slice(257, 262)
_HEADER = 512


class NoSourceError(Exception):
    """A paper has no TeX source; the message says what there is instead."""


def unpack(content: bytes) -> dict[str, bytes]:
    """Return the files of a paper by name. The first bytes say what the content is.

    Raises:
        NoSourceError: It is a PDF or PostScript file.
        ValueError: It is an archive that cannot be read, that is too large, or that holds something other
            than files and folders; the message says so.
    """
    unpacked = gunzip(content) if content.startswith(_GZIP) else content
    if unpacked[_USTAR] == b"ustar" or b"\0" in unpacked[:_HEADER]:
        return read_tar(unpacked)
    if unpacked.startswith((_PDF, _POSTSCRIPT)):
        raise NoSourceError("a PDF file" if unpacked.startswith(_PDF) else "a PostScript file")
    return {SINGLE_FILE: unpacked}
