r"""Libraries of TikZ that a source asks for, and what the library ``external`` needs: a shell."""

from __future__ import annotations

import re

from i2s_sdk.tasks.latex.tex_source import Command, commands, cut
from i2s_wire.render.source_error import SourceError

_LISTED = re.compile(r"(\\use(?:tikz|pgfplots|pgf)library\s*\{)([^{}]*)(\})")
_EXTERNAL = {
    "tikzexternalize": 0,
    "tikzexternaldisable": 0,
    "tikzexternalenable": 0,
    "tikzsetexternalprefix": 1,
    "tikzsetnextfilename": 1,
    "tikzsetfigurename": 1,
    "tikzset": 1,
    "usetikzlibrary": 1,
    "usepgfplotslibrary": 1,
    "usepgflibrary": 1,
}
_KEYS = re.compile(r"\s*(?:/tikz/)?external/")
_OF_ERROR = re.compile(r"system call|\.md5'|externali[sz]")


def without_library(code: str, name: str) -> str:
    """Return ``code`` without a library in the lists of those that it loads."""

    def shorter(match: re.Match[str]) -> str:
        kept = [entry for entry in match[2].split(",") if entry.strip() != name]
        return match[1] + ",".join(kept) + match[3]

    return _LISTED.sub(shorter, code)


def is_of_externalization(error: SourceError) -> bool:
    """Return whether an error is one that the library ``external`` causes where no shell is."""
    return error.file.startswith("tikzlibraryexternal") or _OF_ERROR.search(error.message) is not None


def without_externalization(code: str) -> str:
    """Return ``code`` that draws each figure itself: without the library ``external`` and its commands."""
    unwanted = [command for command in commands(code, _EXTERNAL) if _is_unwanted(command)]
    return without_library(cut(code, unwanted), "external")


def _is_unwanted(command: Command) -> bool:
    if command.name == "tikzset":
        return _KEYS.match(command.arguments[0]) is not None
    return not command.name.startswith("use") or command.arguments[0].strip() == "external"
