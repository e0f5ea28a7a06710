"""Services as child processes: started, awaited, watched, restarted, stopped."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import shutil
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc.aio

from i2s_client.connection import channel_options, wait_until_serving
from i2s_sdk.errors import ServiceStartError, StackError
from i2s_sdk.json_text import read_json
from i2s_sdk.stack import tether
from i2s_sdk.stack.command import ServiceCommand, child_environment
from i2s_sdk.waiting import QUIET_SECONDS, SILENT_SECONDS

_log = logging.getLogger(__name__)

_LOOK_EVERY = 0.02  # seconds between looks for the announcement
_DRAIN_SECONDS = 3  # that running jobs have at the end
_STOP_SECONDS = 10.0  # until a child that does not end is killed
_LOG_LOOK_SECONDS = 30.0  # between looks at the size of a log
#: Size of the log of a service, beside which the one before is kept.
LOG_BYTES = 64 << 20
_LAST_LINES = 20  # of the log that a message shows
_STEADY_SECONDS = 60.0  # a child that lived this long starts with a clean slate
_DEATHS_ALLOWED = 5  # in a row, none of them steady
_LONGEST_PAUSE = 5.0
_LONGEST_BACKOFF = 60.0  # between the starts of one that has died more often and is tried for ever
#: Signals that come from outside: of the kernel without memory, or of an operator. A service of which they
#: have ended a part that it cannot replace ends with EX_TEMPFAIL.
_FROM_OUTSIDE = frozenset({signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP})
_PATIENCE = "%s is getting ready (log: %s)"
#: Is in every line that says how far a start is.
GETTING_READY = " is getting ready"


#: Called with the name of a service that dies at each start and the reason, and with None once it serves.
OnFailing = Callable[[str, str | None], None]


class Child:
    """A service that is started here and belongs to this process.

    The port at which it listens first is kept over restarts, so that clients find it again. Its log is
    appended to ``folder``/<name>.log.
    """

    def __init__(self, command: ServiceCommand, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.command = command
        self.address = command.listen
        self.log = folder / f"{command.name}.log"
        self._words = command.words()
        self._announce = folder / f"{command.name}.announce.json"
        self._process: asyncio.subprocess.Process | None = None
        self._stopping = False

    @property
    def pid(self) -> int:
        """The id of the running process.

        Raises:
            ServiceStartError: It was not started.
        """
        if self._process is None:
            raise ServiceStartError(f"{self.command.title} was not started")
        return self._process.pid

    async def start(self, seconds: float) -> None:
        """Start the process and return when it serves; it is started again if it is killed meanwhile.

        Args:
            seconds: Seconds for each start.

        Raises:
            ServiceStartError: It ended by itself, did not serve within ``seconds``, or was killed at start
                after start.
        """
        for deaths in range(1, _DEATHS_ALLOWED + 1):
            if (ending := await self._start_once(seconds)) is None:
                return
            _log.warning("%s ended with %s while it started; it is started again", self.command.title, ending)
            await asyncio.sleep(_pause(deaths))
        if (ending := await self._start_once(seconds)) is not None:
            deaths = _DEATHS_ALLOWED + 1
            raise self._failed(f"died {deaths} times in a row before it served, last with {ending}")

    async def _start_once(self, seconds: float) -> str | None:
        """Start the process; returns None when it serves, or how something outside ended it.

        Raises:
            ServiceStartError: It ended in another way, or did not serve within ``seconds``.
        """
        self._announce.unlink(missing_ok=True)
        process = await self._spawn()
        ended = asyncio.create_task(process.wait())
        serving = asyncio.create_task(self._until_serving(process.pid))
        try:
            await self._first((ended, serving), seconds)
            if serving.done() and not ended.done():
                await serving
                return None
        finally:
            for task in (ended, serving):
                task.cancel()
            await asyncio.gather(ended, serving, return_exceptions=True)
        if process.returncode is not None:
            if -process.returncode in _FROM_OUTSIDE or process.returncode == os.EX_TEMPFAIL:
                return _ending(process.returncode)
            raise self._failed(f"ended with {_ending(process.returncode)} before it served")
        await self._end(process)
        raise self._failed(f"did not serve within {seconds:g} s")

    async def watch(
        self, seconds: float, on_failing: OnFailing | None = None, *, fails: bool = False
    ) -> None:
        """Restart the process whenever it dies; return when it was stopped.

        Args:
            seconds: Seconds for each start.
            on_failing: Called with the name of the service and the reason whenever it has died again and
                again, and with None once it serves again. It is then tried for ever, at pauses that grow to a
                minute. None raises the reason.
            fails: Whether it has not served so far, and ``on_failing`` was called for that.

        Raises:
            ServiceStartError: It died again and again, and there is no ``on_failing``.
        """
        deaths = _DEATHS_ALLOWED if fails else 0
        while self._process is not None:
            born = time.monotonic()
            ending = _ending(await self._ended(self._process))
            if self._stopping:
                return
            deaths = 1 if time.monotonic() - born > _STEADY_SECONDS else deaths + 1
            if deaths > _DEATHS_ALLOWED:
                if on_failing is None:
                    raise self._failed(f"died {deaths} times in a row, last with {ending}")
                if not fails:
                    failure = self._failed(f"dies at each start, last with {ending}")
                    on_failing(self.command.name, failure.message)
                fails = False
            _log.warning("%s ended with %s and is started again", self.command.title, ending)
            await asyncio.sleep(_pause(deaths))
            with contextlib.suppress(ServiceStartError):  # the next turn of the loop counts it
                if await self._start_once(seconds) is None and deaths > _DEATHS_ALLOWED and on_failing:
                    on_failing(self.command.name, None)

    async def _ended(self, process: asyncio.subprocess.Process) -> int:
        """Return how a process ends; its log stays bounded until then."""
        bounding = asyncio.create_task(keep_bounded(self.log))
        try:
            return await process.wait()
        finally:
            bounding.cancel()

    async def stop(self) -> None:
        """End the process for good: asked first, killed after a while."""
        self._stopping = True
        if self._process is not None:
            await self._end(self._process)
        self._announce.unlink(missing_ok=True)

    async def _first(self, tasks: Sequence[asyncio.Task[Any]], seconds: float) -> None:
        """Wait until one of some tasks is done, at most so long, and say how far the service is."""
        started = spoke = time.monotonic()
        said: str | None = None
        while (left := started + seconds - time.monotonic()) > 0:
            done, _ = await asyncio.wait(
                tasks, timeout=min(QUIET_SECONDS, left), return_when=asyncio.FIRST_COMPLETED
            )
            if done:
                return
            now = time.monotonic()
            if said is None:
                said, spoke = "", now
                _log.warning(_PATIENCE, self.command.title, self.log)
            elif (progress := last_progress(self.log)) != said:
                said, spoke = progress, now
                _log.warning("%s is getting ready: %s", self.command.title, progress)
            elif now - spoke > SILENT_SECONDS:
                spoke = now
                _log.warning("%s is getting ready: since %.0f s", self.command.title, now - started)

    async def _end(self, process: asyncio.subprocess.Process) -> None:
        if process.returncode is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(signal.SIGTERM)
        try:
            await asyncio.wait_for(process.wait(), _STOP_SECONDS)
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()

    async def _until_serving(self, pid: int) -> None:
        while (address := self._announced(pid)) is None:  # noqa: ASYNC110 - a file has no event
            await asyncio.sleep(_LOOK_EVERY)
        self.address = address
        if self.command.wire_name is not None:
            async with grpc.aio.insecure_channel(address, channel_options(address)) as channel:
                await wait_until_serving(channel, address, self.command.wire_name, float("inf"))

    async def _spawn(self) -> asyncio.subprocess.Process:
        with open(self.log, "ab", opener=open_private) as log:  # noqa: ASYNC230 - nothing is read or written
            self._process = await asyncio.create_subprocess_exec(
                *self._argv(),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**child_environment(self.command.name, os.environ), **self.command.environment},
                start_new_session=True,  # Ctrl-C of the terminal is for us alone
            )
        return self._process

    def _argv(self) -> Sequence[str]:
        tied = (sys.executable, "-I", "-S", tether.__file__, str(os.getpid()))
        served = (*self._words, "--listen", self.address, "--announce", str(self._announce))
        return (*tied, *served, "--drain-seconds", str(_DRAIN_SECONDS), *self.command.arguments)

    def _announced(self, pid: int) -> str | None:
        try:
            announced = read_json(self._announce.read_text())
        except (OSError, ValueError):
            return None
        return str(announced["address"]) if announced["pid"] == pid else None

    def _failed(self, reason: str) -> ServiceStartError:
        end = "\n".join(f"    {line}" for line in last_lines(self.log)) or "    (empty)"
        return ServiceStartError(f"{self.command.title} {reason}; the end of its log {self.log}:\n{end}")


def open_private(path: str, flags: int) -> int:
    """Open a file that is made for its owner alone; for ``open(…, opener=…)``."""
    return os.open(path, flags, 0o600)


def bound_log(log: Path, most: int) -> None:
    """Begin a log anew if it is larger than ``most`` bytes; what it held is in :func:`log_before`.

    Whoever writes it appends, so that nobody needs to open it again.

    Raises:
        OSError: It cannot be read or written.
    """
    if log.stat().st_size <= most:
        return
    before = log_before(log)
    before.unlink(missing_ok=True)
    with log.open("rb") as source, open(before, "wb", opener=open_private) as target:
        shutil.copyfileobj(source, target)
    os.truncate(log, 0)


async def keep_bounded(log: Path) -> None:
    """Keep a log bounded until this is cancelled."""
    while True:
        await asyncio.sleep(_LOG_LOOK_SECONDS)
        with contextlib.suppress(OSError):  # a full disk is no reason to leave a service alone
            bound_log(log, LOG_BYTES)


def log_before(log: Path) -> Path:
    """Return where that is which a log held before it began anew."""
    return log.with_name(f"{log.name}.1")


def last_lines(log: Path, count: int = _LAST_LINES, most_bytes: int = 16_384) -> list[str]:
    """Return the last lines of a log, or none if it cannot be read."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - most_bytes))
            text = file.read().decode("utf-8", "replace")
    except OSError:
        return []
    return text.splitlines()[-count:]


def last_progress(log: Path) -> str:
    """Return how far a service is by the last line of its log that says so; empty if none does."""
    for line in reversed(last_lines(log)):
        with contextlib.suppress(ValueError):
            read = read_json(line)
            if isinstance(read, dict) and "progress" in read:
                return str(read["progress"])
    return ""


def _pause(deaths: int) -> float:
    """Return the seconds between a death and the next start, after so many deaths in a row."""
    longest = _LONGEST_PAUSE if deaths <= _DEATHS_ALLOWED else _LONGEST_BACKOFF
    return min(longest, 0.05 * 2.0 ** min(deaths, 30))


def _ending(returncode: int) -> str:
    return f"signal {signal.Signals(-returncode).name}" if returncode < 0 else f"exit code {returncode}"


@asynccontextmanager
async def local_services(
    commands: Sequence[ServiceCommand],
    folder: Path,
    seconds: float,
    do_without: Callable[[str, StackError], None] | None = None,
    on_failing: OnFailing | None = None,
) -> AsyncIterator[dict[str, Child]]:
    """Run services as long as the block lasts.

    A service that dies is started again. One that dies again and again cancels the block, and the reason
    is raised in place of the cancellation; with ``on_failing`` it is tried for ever, and the others go on.

    Args:
        commands: What to start.
        folder: Where the logs are kept; made if it does not exist.
        seconds: Seconds that each may take until it serves.
        do_without: Called with the name of a service that cannot be started and the reason; returns if
            the block can go on without it, else raises. None raises the reason.
        on_failing: Called with the name of a service that dies at each start and the reason, and with None
            once it serves.

    Yields:
        The children by name of their service, all serving but for those that ``on_failing`` was called with.

    Raises:
        StackError: One cannot be started, or died too often; with ``on_failing``, none serves.
    """
    children: list[Child] = []
    failing: list[Child] = []
    body = asyncio.current_task()
    broken: list[StackError] = []

    def look(watch: asyncio.Task[None]) -> None:
        error = None if watch.cancelled() else watch.exception()
        if isinstance(error, StackError) and body is not None:
            broken.append(error)
            body.cancel()

    watches: list[asyncio.Task[None]] = []
    try:
        await _start_all(commands, folder, seconds, children, do_without or _insist, failing, on_failing)
        children += failing
        for child in children:
            watching = child.watch(seconds, on_failing, fails=child in failing)
            watches.append(asyncio.create_task(watching, name=f"watch {child.command.name}"))
            watches[-1].add_done_callback(look)
        yield {child.command.name: child for child in children}
    except asyncio.CancelledError:
        if not broken or body is None:
            raise
        body.uncancel()
        raise broken[0] from None
    finally:
        for watch in watches:  # before the children end, or they would be started again
            watch.cancel()
        await asyncio.gather(*watches, return_exceptions=True)
        await asyncio.gather(*(child.stop() for child in dict.fromkeys((*children, *failing))))


async def _start_all(
    commands: Sequence[ServiceCommand],
    folder: Path,
    seconds: float,
    children: list[Child],
    do_without: Callable[[str, StackError], None],
    failing: list[Child],
    on_failing: OnFailing | None,
) -> None:
    """Start services at the same time; those that serve are added to ``children``, others to ``failing``.

    Raises:
        StackError: One cannot be started, or none.
    """
    reasons: list[StackError] = []

    async def start(command: ServiceCommand) -> None:
        child: Child | None = None
        try:
            child = Child(command, folder)
            await child.start(seconds)
        except BaseException as error:
            if child is not None and isinstance(error, StackError) and on_failing is not None:
                failing.append(child)
                reasons.append(error)
                on_failing(command.name, error.message)
                return
            if child is not None:
                await child.stop()
            if not isinstance(error, StackError):
                raise
            do_without(command.name, error)
        else:
            children.append(child)

    starts = [asyncio.create_task(start(command)) for command in commands]
    try:
        await asyncio.gather(*starts)
    finally:
        for task in starts:
            task.cancel()
        await asyncio.gather(*starts, return_exceptions=True)
    if reasons and not children:
        raise reasons[0]


def _insist(name: str, error: StackError) -> None:
    raise error
