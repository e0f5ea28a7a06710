"""Read what LilyPond wrote: its first error, and what that is about.

A score can write anything into its own log, so nothing here decides more than whether an image
came with errors and what is reported about them; the image decides the rest of the verdict.
"""

from __future__ import annotations

import re

from i2s_render_lilypond.score import SCORE
from i2s_wire.render.source_error import ErrorKind, SourceError, Undefined

_MAX_MESSAGE = 2048
_MAX_CONTEXT = 1000

_ERROR = re.compile(
    r"^(?:(?P<file>[^\n:]{1,1000}):(?P<line>\d{1,9})(?::\d{1,9})?: )?"
    r"(?:fatal )?error: (?P<message>\S[^\n]*)$",
    re.MULTILINE,
)
#: Where LilyPond has looked for a file: folders of the installation and of the sandbox.
_SEARCHED = re.compile(r"[ \n]\((?:load|search) path: `[^'\n]{0,20000}'(?:, cwd: `[^'\n]{0,5000}')?\)")
#: This line follows every error, and is none itself.
_AFTERMATH = "failed files:"
_GUILE = "Guile signaled an error"

_KINDS = (
    (ErrorKind.UNDEFINED_COMMAND, re.compile(r"^unknown escaped string: `\\?(.+?)'")),
    (ErrorKind.UNDEFINED_COMMAND, re.compile(r"Unbound variable: (\S+)")),
    (ErrorKind.UNDEFINED_FILE, re.compile(r"^cannot find (?:init )?file: `(.+?)'")),
    (ErrorKind.CONFLICT, re.compile(r"^program too old")),
    (
        ErrorKind.SYNTAX,
        re.compile(
            r"^(?:syntax error|not a note name|not a duration|string outside|markup outside|wrong type for|"
            r"EOF found|unterminated|unexpected|bad grob property|bad expression|Missing end quote|"
            r"end quote missing|invalid|unknown clef|Unfinished main input|non-UTF-8 input)"
        ),
    ),
)


def first_error(text: str) -> SourceError | None:
    """Return the first error of a log, None if it has none."""
    text = _SEARCHED.sub("", text)
    for match in _ERROR.finditer(text):
        if not match["message"].startswith(_AFTERMATH):
            return _describe(match, text[match.end() :].lstrip("\n").split("\n", 4))
    return None


def _describe(match: re.Match[str], after: list[str]) -> SourceError:
    message, context = match["message"].strip(), ""
    if match["line"]:
        # The line of the source is broken in two where LilyPond stopped.
        context = after[0].rstrip() if after else ""
    if message.startswith(_GUILE) and len(after) > 2:
        message, context = f"{message}: {after[2].strip()}", f"{context}{after[1].strip()}"
    kind, name = _kind(message)
    return SourceError(
        message=message[:_MAX_MESSAGE],
        kind=kind,
        line=int(match["line"] or 0),
        file=_file(match["file"]),
        context=context[-_MAX_CONTEXT:],
        undefined=Undefined(name) if name else None,
    )


def _kind(message: str) -> tuple[ErrorKind, str]:
    for kind, pattern in _KINDS:
        match = pattern.search(message)
        if match is not None:
            return kind, match[1] if match.groups() else ""
    return ErrorKind.OTHER, ""


def _file(named: str | None) -> str:
    if named is None or named.removeprefix("./") == SCORE:
        return ""
    return named.rpartition("/")[2]
