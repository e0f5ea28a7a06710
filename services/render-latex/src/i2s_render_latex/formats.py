r"""Which format serves a document, and when a preamble becomes worth one of its own.

Known preambles have their formats before the service serves. Any other preamble that is seen often gets
its own in the background: one build at a time, at the lowest priority, while a slot is free and nobody
waits, and within the budget of the caller that made it hot. Jobs never wait for them. A preamble has two: one
of itself, which serves longer ones too, and one that holds what \begin{document} does as well, which serves
the first run of a document that begins right there.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from i2s_chassis.jail import JailError
from i2s_render_latex.format_budget import BuildBudget, BuildShares
from i2s_render_latex.format_build import LIMITS_OF_BUILD, Built, FormatError
from i2s_render_latex.format_cache import Format, FormatCache
from i2s_render_latex.searches import PICTURES_AND_DATA
from i2s_render_latex.split import BEGIN, continues

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
            one = self._cache.get(head)
            if one is None and await self._may_build(caller):
                one = await self._make(head, name, caller)
            if one is None:
                break
            made.append(one)
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
            one = self._cache.add(head)
        except (FormatError, JailError, OSError) as error:
            self._remember(self._failed, key, str(error))
            _log.warning(
                "no format", extra={"fields": {"preamble": name, "key": key[:12], "reason": str(error)}}
            )
            return None
        _log.info("format", extra={"fields": {"preamble": name, "key": key[:12], "bytes": one.size}})
        return one

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
