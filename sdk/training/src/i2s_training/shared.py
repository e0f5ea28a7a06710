"""What completions of one batch share, and what their renders used."""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from i2s_sdk.run.caches import Renderer
from i2s_wire.render.rendering import Rendering
from i2s_wire.render.request import RenderRequest
from i2s_wire.render.serialized import request_bytes

V = TypeVar("V")


class Shared(Generic[V]):
    """Values that are made once for all that ask for them, also while they are made; the latest are kept.

    If making one fails, that is the error of whoever made it; the next one tries again.

    Args:
        most: Number of values that are kept.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._made: OrderedDict[Hashable, asyncio.Future[V]] = OrderedDict()

    async def value(self, key: Hashable, make: Callable[[], Awaitable[V]]) -> V:
        """Return the value of a key, made here if there is none; raises what ``make`` does."""
        while (begun := self._made.get(key)) is not None:
            self._made.move_to_end(key)
            await asyncio.wait((begun,))
            if not begun.cancelled():
                return begun.result()
        future: asyncio.Future[V] = asyncio.get_running_loop().create_future()
        self._made[key] = future
        if len(self._made) > self._most:
            self._made.popitem(last=False)
        try:
            future.set_result(await make())
        except BaseException:
            if self._made.get(key) is future:
                del self._made[key]
            future.cancel()
            raise
        return future.result()


@dataclass(frozen=True, slots=True)
class RenderUsage:
    """What the renders of one completion used, those of repairs and of a ground truth among them."""

    #: Jobs that ran.
    renders: int = 0
    #: Processor time of the jobs.
    cpu_seconds: float = 0.0
    #: Wall time from the slot to the result.
    wall_seconds: float = 0.0
    #: Wall time until there was a slot.
    queued_seconds: float = 0.0


class Observed:
    """The renders of one completion."""

    def __init__(self, shared: Shared[Rendering]) -> None:
        self.usage = RenderUsage()
        #: The latest answer of a renderer, of an earlier completion if that asked for the same.
        self.last: Rendering | None = None
        self._shared = shared

    async def render(self, name: str, renderer: Renderer, request: RenderRequest) -> Rendering:
        """Return the answer of a renderer; raises as ``Renderer.render`` does."""

        async def make() -> Rendering:
            rendering = await renderer.render(request)
            used = self.usage
            cpu = used.cpu_seconds + rendering.usage.cpu_seconds
            self.usage = replace(used, renders=used.renders + 1, cpu_seconds=cpu)
            return rendering

        digest = hashlib.sha256(request_bytes(request)).digest()
        self.last = await self._shared.value((name, digest), make)
        return self.last


_OBSERVED: ContextVar[Observed | None] = ContextVar("i2s_observed_renders", default=None)


@contextmanager
def observing(shared: Shared[Rendering]) -> Iterator[Observed]:
    """Observe the renders of the block, which share equal ones with the others of their batch."""
    observed = Observed(shared)
    before = _OBSERVED.set(observed)
    try:
        yield observed
    finally:
        _OBSERVED.reset(before)


@dataclass(frozen=True, slots=True)
class ObservedRenderer:
    """A renderer whose answers are observed where a completion is judged."""

    #: Name of the service.
    name: str
    #: The renderer itself.
    renderer: Renderer

    async def render(self, request: RenderRequest) -> Rendering:
        """Return the answer to a request; see ``Renderer.render``."""
        observed = _OBSERVED.get()
        if observed is None:
            return await self.renderer.render(request)
        return await observed.render(self.name, self.renderer, request)
