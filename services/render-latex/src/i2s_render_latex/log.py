"""Read what TeX wrote: its first error, the pages it shipped, what it was refused.

The form of the log is that of ``-file-line-error`` with unbroken lines (max_print_line large).
A document can write anything into its own log, so nothing here decides more than what is told
about a document; the image decides the verdict.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace

from i2s_chassis.jail import PolicyEvent, PolicyKind
from i2s_render_latex.document import SOURCE

_MAX_MESSAGE = 2048
_MAX_CONTEXT = 1000
_MAX_DETAIL = 200
_DISPLAY_LINES = 60

_ERROR = re.compile(
    r"^(?:!(?: +|(?=pdfTeX error))|(?P<file>(?:\./|/)?[^\s:()]+\.\w+):(?P<line>\d{1,9}): +)(?P<message>\S.*)$"
)
_AFTERMATH = ("==> Fatal error occurred", "Emergency stop.")
_POSITION = re.compile(r"^l\.(?P<line>\d{1,9}) (?P<text>.*)$")
_CONTINUATION = re.compile(r"^(?:\([^()\s]+\)| ) {5,}(?P<text>\S.*)$")
# What TeX was reading when it ended: the command line, for it had read all of the document.
_COMMAND_LINE = "<*> "
_BEGIN, _END = rb"\begin{document}", rb"\end{document}"
_OPEN_AT_END = (
    r"The document ends and TeX has not come to \end{document}: verbatim text or a condition in front of it "
    "is not closed."
)
_SKIPPED = re.compile(r"all text was ignored after line (\d{1,9})")
_LAST_COMMAND = re.compile(r"\\([A-Za-z@_:]+|[^A-Za-z\s])\s*$")

_WRITTEN = re.compile(
    r"^Output written on \S+\.(?P<kind>pdf|dvi|xdv) \((?P<pages>\d{1,9}) pages?", re.MULTILINE
)
_SHIPPED = re.compile(r"\[(\d+)(?:\.\d+)*[]{<\n ]")
# Packages find out by this file whether they run on Unix.
_HARMLESS = "/dev/null"
_NO_PAGES = "No pages of output."

# TeX Live 2024 says "(openin_any = p; no  extended check)" where 2022 says "(openin_any = p)".
_REFUSALS = (
    (
        PolicyKind.FILE_READ,
        re.compile(r"^\S+: Not reading from (.{1,4096}) \(openin_any = \w(?:;[^)\n]{0,99})?\)", re.MULTILINE),
    ),
    (
        PolicyKind.FILE_WRITE,
        re.compile(r"^\S+: Not writing to (.{1,4096}) \(openout_any = \w(?:;[^)\n]{0,99})?\)", re.MULTILINE),
    ),
    (PolicyKind.EXECUTE, re.compile(r"runsystem\(([^\n]{0,500}?)\)\.\.\.disabled")),
)


@dataclass(frozen=True, slots=True)
class LoggedError:
    """An error as it stands in the log."""

    #: Its words on one line.
    message: str
    #: Line of the file, from 1; 0 if none is named.
    line: int
    #: Base name of the file it is in; empty for the document itself.
    file: str
    #: The line of that file up to where TeX stopped.
    context: str
    #: The last command that TeX had read, without backslash; empty if it was none.
    command: str
    #: Whether TeX had read the document to its end.
    at_end: bool = False


@dataclass(frozen=True, slots=True)
class LogFacts:
    """The facts of a log."""

    #: The first error, None if there is none.
    error: LoggedError | None
    #: Pages of the finished output; 0 if none was finished.
    pages: int
    #: Pages that were begun, finished or not, as far as the log was kept.
    shipped: int
    #: The output was DVI, not PDF.
    is_dvi: bool
    #: TeX ended in peace without a page.
    has_no_pages: bool


def read_log(text: str) -> LogFacts:
    """Return what a log says."""
    written = list(_WRITTEN.finditer(text))
    pages = int(written[-1]["pages"]) if written else 0
    return LogFacts(
        error=first_error(text),
        pages=pages,
        shipped=max(pages, sum(1 for _ in _SHIPPED.finditer(text))),
        is_dvi=bool(written) and written[-1]["kind"] == "dvi",
        has_no_pages=_NO_PAGES in text,
    )


def first_error(text: str) -> LoggedError | None:
    """Return the first error of a log, None if it has none.

    That TeX gave up ("Emergency stop") is the error only if nothing else is.
    """
    lines = text.splitlines()
    aftermath = None
    for index, line in enumerate(lines):
        match = _ERROR.match(line)
        if match is None:
            continue
        if match["message"].startswith(_AFTERMATH):
            aftermath = index if aftermath is None else aftermath
            continue
        return _describe(lines, index, match)
    if aftermath is None:
        return None
    match = _ERROR.match(lines[aftermath])
    return None if match is None else _describe(lines, aftermath, match)


def in_document(error: LoggedError, document: bytes) -> LoggedError:
    r"""Return an error with its place in the document, if it is the end, and what is missing there.

    TeX says nothing but "Emergency stop" where it waits for ``\end{document}``.
    """
    if not error.at_end:
        return error
    skipped = _SKIPPED.search(error.message)
    line = int(skipped[1]) if skipped else document.rstrip().count(b"\n") + 1
    message = error.message
    if message.startswith(_AFTERMATH):
        missing = next((mark for mark in (_BEGIN, _END) if mark not in document), None)
        reason = _OPEN_AT_END if missing is None else f"The document ends without {missing.decode()}."
        message = f"{message} {reason}"
    return replace(error, message=message, line=line)


def _describe(lines: list[str], index: int, logged: re.Match[str]) -> LoggedError:
    display = lines[index + 1 : index + 1 + _DISPLAY_LINES]
    position = next((match for line in display if (match := _POSITION.match(line))), None)
    line = int(logged["line"] or 0) or (int(position["line"]) if position else 0)
    command = _LAST_COMMAND.search(display[0]) if display else None
    return LoggedError(
        message=_message(logged["message"], display),
        line=line,
        file=_file(logged["file"]),
        context=position["text"].rstrip()[-_MAX_CONTEXT:] if position else "",
        command=command[1] if command else "",
        at_end=position is None and any(text.startswith(_COMMAND_LINE) for text in display),
    )


def _message(first: str, display: list[str]) -> str:
    """Join a message that a package broke into lines of its own."""
    parts = [first.strip()]
    for line in display:
        continuation = _CONTINUATION.match(line)
        if continuation is None or "->" in line:
            break
        parts.append(continuation["text"].strip())
    is_packages = " Error: " in first or len(parts) == 1
    return (" ".join(parts) if is_packages else parts[0])[:_MAX_MESSAGE]


def _file(named: str | None) -> str:
    if named is None or named.removeprefix("./") == SOURCE:
        return ""
    return named.removeprefix("./") if named.startswith("./") else named.rpartition("/")[2]


def refusals(text: str) -> tuple[PolicyEvent, ...]:
    """Return what TeX itself refused to read, write or start, from its log or terminal output."""
    seen: Counter[tuple[PolicyKind, str]] = Counter()
    for kind, pattern in _REFUSALS:
        for match in pattern.finditer(text):
            if match[1] == _HARMLESS:
                continue
            seen[kind, match[1].replace("\n", "")[:_MAX_DETAIL]] += 1
    return tuple(PolicyEvent(kind, detail, count) for (kind, detail), count in seen.items())
