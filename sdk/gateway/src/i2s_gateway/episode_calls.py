"""Calls of the store of episodes by the event loop, which waits for none of them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial
from http import HTTPStatus
from typing import Any, TypeVar

from i2s_gateway.episode_store import EpisodeStore, StoredEpisode, store_away
from i2s_gateway.guard import GatewayError
from i2s_gateway.store_threads import StoreThreads
from i2s_training.episode import EpisodeRules, EpisodeState

_log = logging.getLogger(__name__)

#: Calls of the store that are under way at a time.
_THREADS = 16
#: Seconds between two looks for episodes that are over.
_SWEEP_SECONDS = 60.0

A = TypeVar("A")


class EpisodeCalls:
    """Calls of the store of episodes, none of which keeps the loop waiting.

    Args:
        store: The store.
        seconds: Seconds that a request waits for it.
    """

    def __init__(self, store: EpisodeStore, seconds: float) -> None:
        self._store, self._seconds = store, seconds
        self._threads = StoreThreads(_THREADS)

    async def add(
        self, owner: str, opening: Mapping[str, Any], rules: EpisodeRules, address: str = ""
    ) -> StoredEpisode:
        """Keep a new episode; see ``EpisodeStore.add``."""
        return await self._answer(lambda: self._store.add(owner, opening, rules, address))

    async def get(self, owner: str, name: str) -> StoredEpisode:
        """Return an episode; see ``EpisodeStore.get``."""
        return await self._answer(lambda: self._store.get(owner, name))

    async def remove(self, owner: str, name: str) -> None:
        """Forget an episode; see ``EpisodeStore.remove``."""
        await self._answer(lambda: self._store.remove(owner, name))

    def alone(self, name: str) -> Alone:
        """Have an episode alone for the time of a block and of what is kept in it.

        Raises:
            GatewayError: Another request has it.
        """
        return Alone(self._store, self._threads, self._seconds, name)

    async def sweep(self) -> None:
        """Remove what is over, again and again."""
        while True:
            try:
                await asyncio.wrap_future(self._threads.submit(self._store.sweep))
            except Exception:
                _log.exception("episodes that are over were not removed; this is tried again")
            await asyncio.sleep(_SWEEP_SECONDS)

    async def _answer(self, call: Callable[[], A]) -> A:
        try:
            return await asyncio.wait_for(asyncio.wrap_future(self._threads.submit(call)), self._seconds)
        except TimeoutError:
            message = f"the store of episodes did not answer within {self._seconds:g} s"
            raise store_away(message) from None


class Alone:
    """An episode that one request has. It is left when its state is kept, whatever becomes of the request."""

    def __init__(self, store: EpisodeStore, threads: StoreThreads, seconds: float, name: str) -> None:
        self._store, self._threads, self._seconds = store, threads, seconds
        self._held = ExitStack()
        self._held.enter_context(store.alone(name))

    def __enter__(self) -> Alone:
        return self

    def __exit__(self, *error: object) -> None:
        self._held.close()

    async def put(self, episode: StoredEpisode, state: EpisodeState) -> StoredEpisode:
        """Keep the state after a step; see ``EpisodeStore.put``. Nothing ends this once it is begun.

        Raises:
            GatewayError: As there; or the time is over, and the state may be kept yet.
        """
        leave = self._held.pop_all().close
        putting = self._threads.submit(partial(self._store.put, episode, state))
        putting.add_done_callback(lambda _: leave())
        after = asyncio.wrap_future(putting)
        after.add_done_callback(lambda done: done.cancelled() or done.exception())  # who asked may be gone
        await asyncio.wait({after}, timeout=self._seconds)
        if not after.done():
            # It may be kept yet, and then the same step again would be another turn: so not "come back".
            message = f"the step was not kept within {self._seconds:g} s; GET says later whether it was"
            raise GatewayError(HTTPStatus.GATEWAY_TIMEOUT, "DEADLINE_EXCEEDED", message)
        return after.result()
