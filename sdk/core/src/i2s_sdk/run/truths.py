"""Ground truths as they were rendered, kept in memory for further models, turns and rewards."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from i2s_sdk.tasks.task import Task
from i2s_wire.render.request import RenderRequest
from i2s_wire.render.serialized import request_bytes


@dataclass(frozen=True, slots=True)
class Truth:
    """What of a ground truth is compared with."""

    #: Its text; None if no text is compared.
    text: str | None = None
    #: What the engine drew, as JSON; None if that is not compared.
    drawn: str | None = None
    #: Why something is missing that the ground truth would have; else empty.
    missing: str = ""

    @property
    def size(self) -> int:
        """Characters of its texts."""
        return len(self.text or "") + len(self.drawn or "") + len(self.missing)


class Truths:
    """Ground truths by what decides them; those that were not used for longest make room.

    All models and turns of an evaluation use the same services, and so do all batches of a reward, so a
    ground truth is rendered once for them, also without the cache of renderings. One of which something is
    missing is not kept: its next render may have it.

    Args:
        most_characters: The most characters of all of them; 0 keeps none.
    """

    def __init__(self, most_characters: int) -> None:
        self._most, self._held = most_characters, 0
        self._kept: OrderedDict[str, Truth] = OrderedDict()
        self._under_way: dict[str, asyncio.Future[Truth]] = {}

    async def value(self, key: str, render: Callable[[], Awaitable[Truth]]) -> Truth:
        """Return a ground truth, rendered here unless it is known or under way.

        What ``render`` raises is raised for all that wait for it; if it is cancelled, the next one renders.
        """
        if not self._most:
            return await render()
        while (begun := self._under_way.get(key)) is not None:
            await asyncio.wait((begun,))
            if not begun.cancelled():
                return begun.result()
        if (known := self.known(key)) is not None:
            return known
        future = self._under_way[key] = asyncio.get_running_loop().create_future()
        try:
            truth = await render()
        except asyncio.CancelledError:
            future.cancel()
            raise
        except BaseException as error:
            future.set_exception(error)
            future.exception()  # it may be that nobody waits
            raise
        finally:
            del self._under_way[key]
        future.set_result(truth)
        if not truth.missing:
            self.keep(key, truth)
        return truth

    def known(self, key: str) -> Truth | None:
        """Return a ground truth, or None."""
        truth = self._kept.get(key)
        if truth is not None:
            self._kept.move_to_end(key)
        return truth

    def keep(self, key: str, truth: Truth) -> None:
        """Keep a ground truth if there is room for it."""
        if truth.size > self._most:
            return
        if (before := self._kept.pop(key, None)) is not None:
            self._held -= before.size
        self._kept[key] = truth
        self._held += truth.size
        while self._held > self._most:
            _, oldest = self._kept.popitem(last=False)
            self._held -= oldest.size


def truth_key(task: Task, request: RenderRequest) -> str:
    """Return the SHA-256 of everything that decides a ground truth in an evaluation: task, profile, request.

    Args:
        task: Task that reads its rendering.
        request: The request for its first render, with its limits; the id does not count.
    """
    digest = hashlib.sha256(json.dumps([task.name, str(task.profile)]).encode())
    digest.update(b"\n" + request_bytes(request))
    return digest.hexdigest()
