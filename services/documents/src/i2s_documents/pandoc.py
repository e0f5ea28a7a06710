"""Pandoc: its command line, the limits of its cell, and its first error."""

from __future__ import annotations

import re
from dataclasses import replace

from i2s_chassis.limits import Limits
from i2s_wire.documents.conversion import FragmentFormat

#: The fragment and the HTML, in the work folder.
SOURCE, OUTPUT = "fragment", "fragment.html"

_LOG_BYTES = 64 * 1024
_READERS = {FragmentFormat.MARKDOWN: "markdown", FragmentFormat.LATEX: "latex"}
# Pandoc reads its standard input, so that no file is named to it which a fragment could include.
_SCRIPT = f'exec "$0" --sandbox -f "$1" -t html <{SOURCE} >{OUTPUT}'
# Messages of pandoc that are no errors, with the lines that continue them.
_REMARK = re.compile(r"^\[(?:WARNING|INFO|DEBUG)\].*\n?(?:^ .*\n?)*", re.MULTILINE)


def command(pandoc: str, source: FragmentFormat) -> list[str]:
    """Return the command line that converts the fragment in the work folder.

    Args:
        pandoc: The program.
        source: The language of the fragment. No extension of pandoc is added to it or removed from it.
    """
    return ["sh", "-c", _SCRIPT, pandoc, _READERS[source]]


def limits_of_conversion(limits: Limits) -> Limits:
    """Return the limits of the cell in which a fragment is converted."""
    return replace(limits, log_bytes=_LOG_BYTES)


def first_error(said: str, exit_code: int) -> str:
    """Return why pandoc refused a fragment, in its own words.

    Args:
        said: What it wrote to standard error.
        exit_code: Exit code with which it ended.
    """
    error = _REMARK.sub("", said).strip()
    return error or f"pandoc ended with exit code {exit_code} and gave no reason"
