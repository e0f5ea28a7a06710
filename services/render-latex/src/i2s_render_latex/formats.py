"""Formats of preambles: when a document gets one, how much CPU time builds may use, and formats on disk."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import logging
import os
import tempfile
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from i2s_chassis.jail import JailError
from i2s_render_latex.document import BEGIN, continues
from i2s_render_latex.format_build import LIMITS_OF_BUILD, PICTURES_AND_DATA, Built, FormatError

#: Number of the rules by which formats are made and refused (format_source.py, format_build.py): increased
#: when a format that was accepted before may be refused.
RULES = 2
_OLD_SECONDS = 3600


@dataclass(eq=False, slots=True)
class Format:
    """A format that stands ready."""

    #: Digest of head, installation and rules.
    key: str
    #: Name for people: that of a known preamble, else the beginning of the key.
    name: str
    #: What it holds of a document.
    head: bytes = field(repr=False)
    #: Path of the file.
    path: Path
    #: Size of the file in bytes.
    size: int
    #: Whether it is never removed for room.
    is_kept: bool = False
    #: Number of jobs served so far.
    jobs: int = 0
    #: Number of jobs that use it now.
    users: int = 0

    @property
    def has_begun(self) -> bool:
        r"""Whether it holds what ``\begin{document}`` does, too."""
        return self.head.endswith(BEGIN)

    @property
    def preamble(self) -> bytes:
        """The preamble that it holds, without white space at the end."""
        return self.head.removesuffix(BEGIN)


class FormatCache:
    """The formats of one installation in one folder."""

    def __init__(self, folder: Path, installation_digest: str, max_bytes: int) -> None:
        """Take what lies in the folder.

        Args:
            folder: Folder of the formats; made if it is missing. Jobs of other users read in it.
            installation_digest: Formats of other installations are removed.
            max_bytes: Bound on all formats together; kept ones count, and stay.

        Raises:
            OSError: The folder cannot be made or read.
        """
        self._folder, self._digest, self._max_bytes = folder, installation_digest, max_bytes
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o711)  # a name is a digest of the preamble: who does not know that opens none
        self._formats: dict[str, Format] = {}  # the least recently used first
        for source in sorted(folder.glob("*.tex"), key=lambda path: path.stat().st_mtime):
            self._take(source)
        self._sweep()

    def _take(self, source: Path) -> None:
        head, dumped = source.read_bytes(), source.with_suffix(".fmt")
        key = self.key(head)
        if key != source.stem or not dumped.is_file():
            dumped.unlink(missing_ok=True)
            source.unlink(missing_ok=True)
            return
        self._formats[key] = Format(key, key[:12], head, dumped, dumped.stat().st_size)

    def _sweep(self) -> None:
        """Remove what was half written when a service was killed, some time ago."""
        for path in (*self._folder.glob(".new-*"), *self._folder.glob("*.fmt")):
            is_old = time.time() - path.stat().st_mtime > _OLD_SECONDS
            if is_old and path.stem not in self._formats:
                path.unlink(missing_ok=True)

    def key(self, head: bytes) -> str:
        """Return the key of a head's format."""
        return hashlib.sha256(f"{RULES}\n{self._digest}\n".encode() + head).hexdigest()

    def get(self, head: bytes) -> Format | None:
        """Return the format of exactly this head, None if there is none."""
        return self._formats.get(self.key(head))

    def __iter__(self) -> Iterator[Format]:
        """All formats, those with the longest head first."""
        return iter(sorted(self._formats.values(), key=lambda one: len(one.head), reverse=True))

    def has(self, wanted: Format) -> bool:
        """Whether a format is still on disk; one that somebody removed is forgotten."""
        if wanted.path.is_file():
            return True
        self._formats.pop(wanted.key, None)
        return False

    def write(self, head: bytes, dumped: bytes) -> None:
        """Write a format into the folder, for ``add``; may be called from any thread.

        Raises:
            OSError: It cannot be written.
        """
        path = self._folder / f"{self.key(head)}.fmt"
        self._write(path, dumped, mode=0o644)  # jobs load it, as another user
        self._write(path.with_suffix(".tex"), head, mode=0o600)

    def add(self, head: bytes) -> Format:
        """Put a format that was written on the cache, and remove others for it if room is short.

        Raises:
            OSError: It is not there.
        """
        key = self.key(head)
        path = self._folder / f"{key}.fmt"
        self._formats[key] = Format(key, key[:12], head, path, path.stat().st_size)
        self._make_room(key)
        return self._formats[key]

    def _write(self, path: Path, content: bytes, mode: int) -> None:
        """Write a file that appears whole or not at all."""
        handle, temporary = tempfile.mkstemp(prefix=".new-", dir=self._folder)
        try:
            with open(handle, "wb") as file:
                file.write(content)
            os.chmod(temporary, mode)
            os.replace(temporary, path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise

    def _make_room(self, newest: str) -> None:
        for one in list(self._formats.values()):
            if sum(kept.size for kept in self._formats.values()) <= self._max_bytes:
                return
            if not one.is_kept and not one.users and one.key != newest:
                self._remove(one)

    def _remove(self, removed: Format) -> None:
        del self._formats[removed.key]
        removed.path.with_suffix(".tex").unlink(missing_ok=True)
        removed.path.unlink(missing_ok=True)

    @contextlib.contextmanager
    def lend(self, lent: Format) -> Iterator[Format]:
        """Count a job of a format; it stays on the cache meanwhile and is the latest used."""
        self._formats[lent.key] = self._formats.pop(lent.key, lent)
        lent.users += 1
        lent.jobs += 1
        with contextlib.suppress(OSError):  # the order after a restart is worth no failure
            os.utime(lent.path.with_suffix(".tex"))
        try:
            yield lent
        finally:
            lent.users -= 1


_MINUTE = 60.0
_MAX_CALLERS = 4096


@dataclass(frozen=True, slots=True)
class BuildShares:
    """CPU seconds of builds for each minute."""

    #: CPU seconds for all callers together.
    total: float = 6.0
    #: CPU seconds for each caller.
    caller: float = 3.0


class BuildBudget:
    """CPU time of builds, refilled steadily up to the share of one minute.

    A build may begin while something is left and is charged what it has used, so a balance can fall below
    zero; then nothing is built until it has been refilled.
    """

    def __init__(self, shares: BuildShares, clock: Callable[[], float] = time.monotonic) -> None:
        self._shares, self._clock = shares, clock
        self._all = _Balance(shares.total, clock())
        self._callers: OrderedDict[str, _Balance] = OrderedDict()  # those with debts or charges, oldest first

    def allows(self, caller: str) -> bool:
        """Return whether a build for a caller may begin now."""
        now = self._clock()
        own = self._callers.get(caller)
        return self._all.at(now) > 0 and (own is None or own.at(now) > 0)

    def charge(self, caller: str, cpu_seconds: float) -> None:
        """Take from the balances what a build for a caller has used."""
        now = self._clock()
        self._all.take(cpu_seconds, now)
        own = self._callers.pop(caller, None) or _Balance(self._shares.caller, now)
        own.take(cpu_seconds, now)
        self._callers[caller] = own
        for name in [name for name, balance in self._callers.items() if balance.is_full(now)]:
            del self._callers[name]
        if len(self._callers) > _MAX_CALLERS:
            self._callers.popitem(last=False)


class _Balance:
    """Seconds that are left of a share; full at the beginning."""

    def __init__(self, share: float, now: float) -> None:
        self._share, self._left, self._since = share, share, now

    def at(self, now: float) -> float:
        self._left = min(self._share, self._left + (now - self._since) * self._share / _MINUTE)
        self._since = now
        return self._left

    def take(self, seconds: float, now: float) -> None:
        self._left = self.at(now) - seconds

    def is_full(self, now: float) -> bool:
        return self.at(now) >= self._share


#: Makes the format of a head; raises FormatError or JailError.
Build = Callable[[bytes], Awaitable[Built]]

V = TypeVar("V", int, str)

_MEMORY = 4096  # preambles that are counted or known to fail
_MAX_PREAMBLE = 64 * 1024
_LOOK_SECONDS = 0.2  # between two looks whether the service is idle

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A preamble that has become hot, and the caller that made it so."""

    preamble: bytes
    caller: str


class Formats:
    """The formats of a running service."""

    def __init__(
        self,
        cache: FormatCache,
        build: Build,
        hot_after: int,
        budget: BuildBudget | None = None,
        is_idle: Callable[[], bool] = lambda: True,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Prepare.

        Args:
            cache: Where formats are.
            build: The function that makes one.
            hot_after: How often a preamble is seen before it gets a format; 0: never.
            budget: Budget of builds in the background; None takes the default shares.
            is_idle: Whether a slot is free and nobody waits; no build begins otherwise.
            clock: Clock in seconds.
        """
        self._cache, self._build, self._hot_after = cache, build, hot_after
        self._budget, self._is_idle = budget or BuildBudget(BuildShares()), is_idle
        self._clock = clock
        self._seen: OrderedDict[str, int] = OrderedDict()
        self._failed: OrderedDict[str, str] = OrderedDict()
        self._wanted: asyncio.Queue[_Wanted] = asyncio.Queue(maxsize=16)

    def __iter__(self) -> Iterator[Format]:
        """All that stand ready."""
        return iter(self._cache)

    async def know(self, preambles: Mapping[str, bytes]) -> None:
        """Make sure of the formats of known preambles, by name.

        A preamble of which no format can be made is logged; its documents go cold.
        """
        for name, preamble in preambles.items():
            for one in await self._make_both(preamble.rstrip(), name):
                one.name, one.is_kept = f"{name}, begun" if one.has_begun else name, True

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Build formats of hot preambles in the background, one at a time, while this is open."""
        builder = asyncio.create_task(self._build_wanted(), name="formats")
        try:
            yield
        finally:
            builder.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await builder

    async def _build_wanted(self) -> None:
        while True:
            wanted = await self._wanted.get()
            if not await self._make_both(wanted.preamble, "hot", wanted.caller):
                self._seen.pop(self._cache.key(wanted.preamble), None)  # it may become hot again

    async def _make_both(self, preamble: bytes, name: str, caller: str | None = None) -> list[Format]:
        """Return the formats of a preamble; the second one needs the first, for documents run again."""
        made: list[Format] = []
        for head in (preamble, preamble + BEGIN):
            ready = self._cache.get(head)
            if ready is None and await self._may_build(caller):
                ready = await self._make(head, name, caller)
            if ready is None:
                break
            made.append(ready)
        return made

    async def _may_build(self, caller: str | None) -> bool:
        """Wait until the service is idle, and say whether a build is within the budget of a caller."""
        if caller is None:
            return True
        while not self._is_idle():  # noqa: ASYNC110 - nobody announces that the load has gone
            await asyncio.sleep(_LOOK_SECONDS)
        return self._budget.allows(caller)

    async def _make(self, head: bytes, name: str, caller: str | None) -> Format | None:
        """Return a format that is built now, charged to a caller; None for a preamble of the operator."""
        key = self._cache.key(head)
        try:
            built = await self._charged(head, caller)
            await asyncio.to_thread(self._cache.write, head, built.dumped)
            added = self._cache.add(head)
        except (FormatError, JailError, OSError) as error:
            self._remember(self._failed, key, str(error))
            _log.warning(
                "no format", extra={"fields": {"preamble": name, "key": key[:12], "reason": str(error)}}
            )
            return None
        _log.info("format", extra={"fields": {"preamble": name, "key": key[:12], "bytes": added.size}})
        return added

    async def _charged(self, head: bytes, caller: str | None) -> Built:
        begun = self._clock()
        spent: float | None = None
        try:
            built = await self._build(head)
            spent = built.cpu_seconds
            return built
        except FormatError as error:
            spent = error.cpu_seconds
            raise
        finally:
            if caller is not None:
                self._budget.charge(caller, self._most_since(begun) if spent is None else spent)

    def _most_since(self, begun: float) -> float:
        """Return the most CPU seconds of a build that the jail failed: TeX has one thread, and a limit."""
        return min(self._clock() - begun, LIMITS_OF_BUILD.cpu_seconds)

    def find(self, preamble: bytes, files: Iterable[str]) -> Sequence[Format]:
        """Return the formats that serve a document, none if it goes cold.

        Args:
            preamble: Preamble of the document, without white space at the end.
            files: Names of the files beside it.

        Returns:
            That of the first run first, and last that of all others, which holds the longest part of the
            preamble. It may be the same one.
        """
        names = tuple(files)
        for one in self._cache:
            if one.has_begun:
                continue
            # Known preambles are the operator's and end where they should. One that became hot may have
            # been cut off by its sender, to spoil the documents of others that begin with it.
            fits = continues(preamble, one.preamble) if one.is_kept else preamble == one.preamble
            if fits and not _could_read(one.preamble, names) and self._cache.has(one):
                begun = self._cache.get(one.preamble + BEGIN) if one.preamble == preamble else None
                return (begun, one) if begun is not None and self._cache.has(begun) else (one,)
        return ()

    def saw(self, preamble: bytes, caller: str = "") -> None:
        """Count a preamble; one that becomes hot is put in line for a format of its own.

        Args:
            preamble: Preamble of a document, without white space at the end.
            caller: Who sent it; a build is charged to the one that made the preamble hot.
        """
        if not self._hot_after or len(preamble) > _MAX_PREAMBLE or self._cache.get(preamble) is not None:
            return
        key = self._cache.key(preamble)
        if key in self._failed:
            return
        count = self._seen.pop(key, 0) + 1
        self._remember(self._seen, key, count)
        if count == self._hot_after:
            if self._wanted.full() or not self._budget.allows(caller):
                self._seen[key] = 0  # its turn comes when it is still hot then
            else:
                self._wanted.put_nowait(_Wanted(preamble, caller))

    @staticmethod
    def _remember(memory: OrderedDict[str, V], key: str, value: V) -> None:
        memory[key] = value
        if len(memory) > _MEMORY:
            memory.popitem(last=False)


def _could_read(preamble: bytes, files: Iterable[str]) -> bool:
    """Whether a preamble could have read one of these files instead of what the format holds."""
    for path in files:
        name = path.rpartition("/")[2]
        if not name.lower().endswith(PICTURES_AND_DATA) or name.encode() in preamble:
            return True
    return False
