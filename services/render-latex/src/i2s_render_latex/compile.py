"""Run TeX in a cell until nothing changes any more."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from i2s_chassis.jail import Cause, Cell, Ended, Excerpt, OutputError, PolicyEvent
from i2s_chassis.renderer.model import RawStage
from i2s_render_latex.document import JOB_NAME, LOG, PDF, SOURCE
from i2s_render_latex.installation import ENVIRONMENT
from i2s_render_latex.log import LogFacts, in_document, read_log, refusals
from i2s_render_latex.programs import KEPT_BY_ENGINES, PROGRAMS, XDV, XDV_TO_PDF, compile_command
from i2s_wire.render.options import LatexEngine

AUX = f"{JOB_NAME}.aux"

# What .out holds, the bookmarks of hyperref, is not on the page.
_HARMLESS_FILES = frozenset({SOURCE, AUX, LOG, PDF, XDV, f"{JOB_NAME}.out"})

_INERT_LINES = frozenset(
    r"""
\relax
\gdef \@abspage@last{1}
\providecommand \oddpage@label [2]{}
\providecommand\hyper@newdestlabel[2]{}
\providecommand\HyperFirstAtBeginDocument{\AtBeginDocument}
\HyperFirstAtBeginDocument{\ifx\hyper@anchor\@undefined
\global\let\oldnewlabel\newlabel
\gdef\newlabel#1#2{\newlabelxx{#1}#2}
\gdef\newlabelxx#1#2#3#4#5#6{\oldnewlabel{#1}{{#2}{#3}}}
\AtEndDocument{\ifx\hyper@anchor\@undefined
\let\newlabel\oldnewlabel
\fi}
\global\let\hyper@last\relax
\gdef\HyperFirstAtBeginDocument#1{#1}
\providecommand\HyField@AuxAddToFields[1]{}
\providecommand\HyField@AuxAddToCoFields[2]{}
""".strip().split("\n")
)
"""What the kernel, hyperref and changepage write whatever the document says: the packages'
own definitions again, hyperref's for a run without it, and that there is one page, which the
kernel uses for its hook on the last page alone."""

_ENTRY = re.compile(r"\\@writefile\{\w+\}(?=\{)")
_BRACE = re.compile(r"\\.|[{}]")


def is_inert(aux: str, files: Collection[str]) -> bool:
    """Whether a first run that left this .aux and these files needs no second.

    Args:
        aux: Content of the job's own .aux file.
        files: All files in the work folder now, without those that were given and not changed. A
            list that the document prints has left one.
    """
    if not _HARMLESS_FILES.issuperset(name for name in files if not name.startswith(KEPT_BY_ENGINES)):
        return False
    lines = (line.rstrip() for line in aux.splitlines())
    return all(not line or line in _INERT_LINES or _is_entry(line) for line in lines)


def _is_entry(line: str) -> bool:
    """Whether a line is one entry of a list, and nothing comes after it."""
    start = _ENTRY.match(line)
    if start is None:
        return False
    depth = 0
    for brace in _BRACE.finditer(line, start.end()):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if depth == 0:
            return brace.end() == len(line)
    return False


_LOG_PART = 1024 * 1024  # of head and tail each: what is read for facts
_MAX_AUX = 4 * 1024 * 1024
_MAX_COMPLAINT = 300
_LINES = re.compile(r"\s+")
_BLANKS = re.compile(rb" +$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Compiled:
    """The result of TeX for a document."""

    #: How the last run ended.
    ended: Ended
    #: PDF of the last run; empty if it made none that can be fetched.
    pdf: bytes
    #: Log of the last run; None if it left none.
    log: Excerpt | None
    #: What the log says.
    facts: LogFacts
    #: The runs.
    stages: tuple[RawStage, ...]
    #: What was tried and prevented.
    events: tuple[PolicyEvent, ...]
    #: Why no PDF could be made of the pages that XeTeX wrote; empty if there is none.
    complaint: str = ""

    def located(self, document: bytes) -> Compiled:
        """Return the same with the place of the error in ``document``."""
        error = self.facts.error
        if error is None:
            return self
        return replace(self, facts=replace(self.facts, error=in_document(error, document)))


async def compile_in(
    cell: Cell,
    engine: LatexEngine,
    given: Mapping[str, bytes],
    first: Path | None,
    again: Path | None,
    max_runs: int,
    *,
    always_rerun: bool = False,
    environment: Mapping[str, str] = ENVIRONMENT,
) -> Compiled:
    """Compile the document that lies in a cell.

    Args:
        cell: The cell that holds the document and the files beside it.
        engine: What compiles it.
        given: Files beside the document, by name.
        first: Format of the first run, which finds no .aux file; None compiles cold.
        again: Format of all other runs.
        max_runs: The most runs, 1 or more.
        always_rerun: Make the second run even if it cannot change anything.
        environment: Variables of TeX.

    Raises:
        JailError: A fault of the jail.
    """
    stages: list[RawStage] = []
    events: list[PolicyEvent] = []
    before: dict[str, bytes] | None = {}
    output, complaint = PROGRAMS[engine].output, ""
    for run in range(max_runs):
        if run:
            await cell.write(output, b"")  # so that what lies there afterwards is of this run
        format_file = again if run else first
        ended = await cell.run(compile_command(engine, format_file), env=environment)
        stages.append(RawStage("compile", ended.usage, "cold" if format_file is None else "format"))
        events += [*ended.events, *await asyncio.to_thread(_refused, ended.output)]
        if ended.cause is not Cause.EXITED or run + 1 == max_runs:
            break
        files = await cell.list()
        if not files.get(output):
            break
        after = await _auxiliary(cell, files)
        if after is not None and after == before:
            break
        made = {name for name, size in files.items() if name not in given or len(given[name]) != size}
        if run == 0 and not always_rerun and await asyncio.to_thread(_is_final, after, made):
            break
        before = after
    if output == XDV and _is_whole(ended) and (await cell.list()).get(XDV):
        ended = await cell.run(list(XDV_TO_PDF), env=environment)
        stages.append(RawStage("pdf", ended.usage))
        events += ended.events
        if not _is_whole(ended):
            complaint = _LINES.sub(" ", ended.output.whole.decode(errors="replace")).strip()[-_MAX_COMPLAINT:]
    log = await _log(cell)
    # What a document wrote is read in a thread of its own: it may be long and odd.
    facts, refused = await asyncio.to_thread(_read, log)
    return Compiled(
        ended=ended,
        pdf=await _pdf(cell) if ended.cause is Cause.EXITED else b"",
        log=log,
        facts=facts,
        stages=tuple(stages),
        events=(*events, *refused),
        complaint=complaint,
    )


def _is_whole(ended: Ended) -> bool:
    return ended.cause is Cause.EXITED and ended.exit_code == 0


def _read(log: Excerpt | None) -> tuple[LogFacts, tuple[PolicyEvent, ...]]:
    text = log.whole.decode(errors="replace") if log else ""
    return read_log(text), refusals(text)


def _refused(output: Excerpt) -> tuple[PolicyEvent, ...]:
    return refusals(output.whole.decode(errors="replace"))


async def _auxiliary(cell: Cell, files: Mapping[str, int]) -> dict[str, bytes] | None:
    """Return the .aux files as TeX reads them, without blanks at line ends; None if they are too large."""
    names = [name for name in files if name.endswith(".aux")]
    if sum(files[name] for name in names) > _MAX_AUX:
        return None
    return {name: _BLANKS.sub(b"", await cell.fetch(name, _MAX_AUX)) for name in names}


def _is_final(auxiliary: Mapping[str, bytes] | None, made: set[str]) -> bool:
    return auxiliary is not None and is_inert(auxiliary.get(AUX, b"").decode(errors="replace"), made)


async def _log(cell: Cell) -> Excerpt | None:
    try:
        return await cell.excerpt(LOG, _LOG_PART, _LOG_PART)
    except OutputError:
        return None


async def _pdf(cell: Cell) -> bytes:
    try:
        return await cell.fetch(PDF)
    except OutputError:
        return b""
