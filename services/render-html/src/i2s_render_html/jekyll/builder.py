"""Build sites with Jekyll, one prepared process for each."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Self

from i2s_chassis.errors import UnavailableError
from i2s_chassis.jail import (
    Cause,
    Cell,
    CellError,
    Excerpt,
    Jail,
    OutputError,
    PolicyEvent,
    PolicyKind,
    Usage,
)
from i2s_chassis.jail.errors import CellLostError
from i2s_chassis.limits import Limits
from i2s_chassis.renderer.bounds import check_name, check_names, shown
from i2s_chassis.warm.pool import Supervisor
from i2s_render_html.jekyll.answer import describe, read_answer, sass_warnings
from i2s_render_html.jekyll.model import BuildCause, BuildError, BuiltSite, JekyllKilledError, JekyllSettings
from i2s_render_html.jekyll.prepared_process import DESTINATION, SOURCE, PreparedProcess, ProcessResult
from i2s_render_html.jekyll.site import without_code

_LIMITS = {
    Cause.CPU_LIMIT: BuildCause.TIME_LIMIT,
    Cause.WALL_LIMIT: BuildCause.TIME_LIMIT,
    Cause.MEMORY_LIMIT: BuildCause.MEMORY_LIMIT,
    Cause.PROCESS_LIMIT: BuildCause.PROCESS_LIMIT,
    Cause.DISK_LIMIT: BuildCause.OUTPUT_LIMIT,
}
_SAYS = {
    BuildCause.TIME_LIMIT: "Jekyll took longer than the time limit",
    BuildCause.MEMORY_LIMIT: "Jekyll needed more than the memory limit",
    BuildCause.PROCESS_LIMIT: "the site started more processes than the limit",
    BuildCause.OUTPUT_LIMIT: "the site and what Jekyll made of it need more than the disk limits",
    BuildCause.CRASHED: "the Jekyll process ended without an answer",
}
_log = logging.getLogger(__name__)
_NOTHING = Excerpt(b"", b"", 0)
_DEFAULTS = JekyllSettings()


class JekyllBuilder:
    """Builds sites. An asynchronous context manager, or ``open`` and ``close``.

    Any number of builds may be asked for at once; those beyond the prepared processes wait.

    Attributes:
        versions: Versions of Jekyll, its libraries, and the plugins and themes that are installed, by name;
            known once this is open.
    """

    def __init__(
        self,
        jail: Jail,
        settings: JekyllSettings = _DEFAULTS,
        *,
        on_recycle: Callable[[str], None] = lambda _: None,
        on_ready: Callable[[int], None] = lambda _: None,
    ) -> None:
        """Prepare nothing yet.

        Args:
            jail: Stays the caller's to close, after this.
            settings: What an operator decided.
            on_recycle: Called with the reason when a process is replaced; "jobs" after each site.
            on_ready: Called with the number of processes that wait.
        """
        self._jail = jail
        self._settings = settings
        self.versions: Mapping[str, str] = {}
        self._pool: Supervisor[PreparedProcess] = Supervisor(
            lambda: self._prepare(settings.limits),
            PreparedProcess.close,
            size=settings.processes,
            alive=lambda process: process.alive,
            on_recycle=on_recycle,
            on_ready=on_ready,
        )

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def open(self) -> None:
        """Make sure that Jekyll works here, and begin to prepare processes.

        Raises:
            JekyllMissingError: It does not; the message says what to install.
            JekyllKilledError: Something outside ended it at both tries.
            JailError: A fault of the jail.
        """
        first = await self._prepare(self._settings.limits)
        self.versions = first.versions
        await self._pool.start(first)

    async def close(self) -> None:
        """End all processes. Builds must have ended."""
        await self._pool.close()

    async def build(self, files: Mapping[str, bytes], limits: Limits) -> BuiltSite:
        """Build a site; every fault of the site is an answer.

        Args:
            files: Relative path to content; configuration, layouts and all.
            limits: Limits of this build.

        Raises:
            UnavailableError: Processes cannot be prepared at the moment.
            JailError: A fault of the jail.
        """
        fault = check_names(files)
        if fault is not None:
            return _refused(BuildCause.FAILED, BuildError(f"the file name {fault.reason}", fault.name))
        kept, events = without_code(files)
        if _too_much(kept, limits):
            return _refused(BuildCause.OUTPUT_LIMIT, _reason(BuildCause.OUTPUT_LIMIT))
        async with self._process(limits) as (process, warm):
            if not await _laid(process.cell, kept):
                return _refused(BuildCause.OUTPUT_LIMIT, _reason(BuildCause.OUTPUT_LIMIT))
            outcome = await process.run(self._settings, limits)
            site = await _site(process.cell, outcome, kept, limits)
        return replace(site, warm=warm, events=(*events, *site.events))

    async def _prepare(self, limits: Limits) -> PreparedProcess:
        """Prepare a process; one that a signal ends is started once more.

        Raises:
            JekyllMissingError: It does not start.
            JekyllKilledError: Something outside ended both.
            JailError: A fault of the jail.
        """
        try:
            return await PreparedProcess.prepare(self._jail, self._settings, limits)
        except JekyllKilledError as error:
            _log.warning("Jekyll is started once more", extra={"fields": {"reason": str(error)}})
        return await PreparedProcess.prepare(self._jail, self._settings, limits)

    @asynccontextmanager
    async def _process(self, limits: Limits) -> AsyncIterator[tuple[PreparedProcess, bool]]:
        """Hand out a process whose cell has these limits, and whether it was prepared before."""
        prepared = self._settings.limits
        if limits == replace(prepared, cpu_seconds=limits.cpu_seconds, wall_seconds=limits.wall_seconds):
            async with self._pool.lease() as lease:
                yield lease.worker, True
            return
        try:
            process = await self._prepare(limits)
        except JekyllKilledError as error:
            raise UnavailableError("Jekyll was killed while it loaded; ask again") from error
        try:
            yield process, False
        finally:
            await process.close()


def _too_much(files: Mapping[str, bytes], limits: Limits) -> bool:
    sizes = [len(content) for content in files.values()]
    return (
        sum(sizes) > limits.disk_bytes
        or len(sizes) > limits.inodes
        or max(sizes, default=0) > limits.file_bytes
    )


async def _laid(cell: Cell, files: Mapping[str, bytes]) -> bool:
    """Lay the site into the cell; returns whether there was room."""
    try:
        for path, content in files.items():
            await cell.write(f"{SOURCE}/{path}", content)
    except CellLostError:
        raise
    except CellError:
        return False
    return True


async def _site(cell: Cell, outcome: ProcessResult, source: Mapping[str, bytes], limits: Limits) -> BuiltSite:
    ended = outcome.ended
    log = _without_path(ended.output, f"{cell.workdir}/".encode())
    said = log.whole.decode(errors="replace")
    answer = read_answer(outcome.answer, cell.workdir) if ended.cause is Cause.EXITED else None
    cause = _LIMITS.get(ended.cause) or (answer.cause if answer else BuildCause.CRASHED)
    files: dict[str, bytes] | None = None
    events = ended.events
    error = None
    if cause is BuildCause.BUILT:
        files, found = await _fetched(cell, limits)
        events = (*events, *found)
    elif cause is BuildCause.FAILED and answer is not None:
        error = describe(answer, said, SOURCE, source)
    else:
        error = _reason(cause)
    left_out, warnings = (answer.left_out, answer.warnings) if answer else ((), ())
    warnings = (*warnings, *sass_warnings(said, SOURCE))
    usage = ended.usage.since(outcome.before)
    return BuiltSite(cause, files, error, usage, log, events, left_out=left_out, warnings=warnings)


async def _fetched(cell: Cell, limits: Limits) -> tuple[dict[str, bytes], tuple[PolicyEvent, ...]]:
    """Fetch what was built; what is irregular or oddly named stays, each with an event."""
    files: dict[str, bytes] = {}
    events: list[PolicyEvent] = []
    for path in sorted(await cell.list()):
        folder, _, name = path.partition("/")
        if folder != DESTINATION:
            continue
        if reason := check_name(name):
            events.append(PolicyEvent(PolicyKind.IRREGULAR_OUTPUT, f"{shown(name)}: the name {reason}"))
            continue
        try:
            files[name] = await cell.fetch(path, limits.file_bytes)
        except OutputError as error:
            events.append(PolicyEvent(PolicyKind.IRREGULAR_OUTPUT, f"{shown(name)}: {error.reason.value}"))
    return files, tuple(events)


def _without_path(output: Excerpt, folder: bytes) -> Excerpt:
    """Return what Jekyll said without the path of the work folder."""
    head, tail = output.head.replace(folder, b""), output.tail.replace(folder, b"")
    cut = len(output.head) + len(output.tail) - len(head) - len(tail)
    return Excerpt(head, tail, output.total_bytes - cut)


def _reason(cause: BuildCause) -> BuildError:
    return BuildError(_SAYS[cause])


def _refused(cause: BuildCause, error: BuildError) -> BuiltSite:
    return BuiltSite(cause, None, error, Usage(), _NOTHING)
