"""The episodes of callers: bounded, gone after their time, and in a store if they outlive the gateway."""

from __future__ import annotations

import json
import logging
import re
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from http import HTTPStatus
from typing import Any, Protocol

from i2s_gateway.guard import GatewayError
from i2s_sdk.errors import I2SError, StoreError, UsageError, WriteError
from i2s_sdk.json_text import read_json
from i2s_training.episode import EpisodeRules, EpisodeState

_log = logging.getLogger(__name__)

#: Bytes of randomness in the name of an episode.
_RANDOM_BYTES = 24
_ID = re.compile(r"[A-Za-z0-9_-]{32}")
_SUFFIX = ".json"
#: Seconds after which a caller that was sent away may come back, at least and at most.
_SOONEST, _LATEST = 1.0, 60.0


@dataclass(frozen=True, slots=True)
class EpisodeBounds:
    """How many episodes there may be, and how long."""

    #: Most episodes of all callers.
    count: int
    #: Most episodes of one caller.
    each: int
    #: Size of all episodes; those of one caller have half at most.
    size: int
    #: Seconds after its last use for which an episode is kept.
    seconds: float


@dataclass(frozen=True, slots=True)
class StoredEpisode:
    """An episode as it is kept."""

    #: Its name, which cannot be guessed.
    id: str
    #: Key of the caller that may use it.
    owner: str
    #: When it is gone, in seconds since 1970.
    expires: float
    #: The batch of rewards of its answers, as JSON, whose one item lacks the completion.
    opening: Mapping[str, Any] = field(repr=False)
    #: Number of turns, and which gives the reward.
    rules: EpisodeRules
    #: What its steps came to.
    state: EpisodeState = field(default_factory=EpisodeState)

    def to_json(self) -> bytes:
        """Return the text that is kept."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def from_json(cls, text: bytes) -> StoredEpisode:
        """Return the episode that a text says.

        Raises:
            ValueError: It is none.
        """
        try:
            said: dict[str, Any] = read_json(text.decode())
            state = {**said.pop("state")}
            state["rewards"] = tuple(float(reward) for reward in state["rewards"])
            return cls(**{**said, "rules": EpisodeRules(**said["rules"]), "state": EpisodeState(**state)})
        except (KeyError, TypeError, AttributeError, UsageError) as error:
            raise ValueError(f"is no episode: {error}") from None


class EpisodeContents(Protocol):
    """Texts by name."""

    def names(self) -> set[str]:
        """Return all names."""
        ...

    def read(self, name: str) -> bytes:
        """Return a text; raises OSError or StoreError."""
        ...

    def write(self, name: str, content: bytes) -> None:
        """Keep a text; raises WriteError or StoreError."""
        ...

    def remove(self, names: set[str]) -> None:
        """Forget texts; raises OSError or StoreError."""
        ...


class _Memory:
    """Texts in memory."""

    def __init__(self) -> None:
        self._texts: dict[str, bytes] = {}

    def names(self) -> set[str]:
        return set(self._texts)

    def read(self, name: str) -> bytes:
        if name not in self._texts:
            raise FileNotFoundError(name)
        return self._texts[name]

    def write(self, name: str, content: bytes) -> None:
        self._texts[name] = content

    def remove(self, names: set[str]) -> None:
        for name in names:
            self._texts.pop(name, None)


@dataclass(frozen=True, slots=True)
class _Place:
    """What is known of an episode without reading it."""

    owner: str
    size: int
    expires: float
    address: str = ""  # where it was opened; empty if another gateway did that


class EpisodeStore:
    """Episodes by caller and name. No caller can use, or learn of, an episode of another one.

    The bounds are those of this gateway: of a store that several share, each counts what it has seen. A step
    is alone within one gateway. Its methods are safe to share between threads. All but ``alone`` wait for the
    store, and none holds a lock then: one that hangs keeps nobody else waiting.

    Args:
        bounds: How many episodes there may be, and how long.
        contents: Where they are kept; None is memory, which ends with the gateway. ``sweep`` looks at what it
            holds.
        clock: Returns seconds since 1970.
    """

    def __init__(
        self,
        bounds: EpisodeBounds,
        contents: EpisodeContents | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._bounds, self._clock = bounds, clock
        self._in_memory = contents is None
        self._contents: EpisodeContents = _Memory() if contents is None else contents
        self._lock = threading.Lock()
        self._places: dict[str, _Place] = {}
        self._under_way: set[str] = set()
        self._damaged: set[str] = set()

    def add(
        self, owner: str, opening: Mapping[str, Any], rules: EpisodeRules, address: str = ""
    ) -> StoredEpisode:
        """Keep a new episode of a caller, at an address whose callers together leave half as many to others.

        Raises:
            GatewayError: There are as many as may be, it is too large, or the store does not take it.
        """
        episode = StoredEpisode(
            secrets.token_urlsafe(_RANDOM_BYTES),
            owner,
            self._clock() + self._bounds.seconds,
            opening,
            rules,
        )
        content = episode.to_json()
        if len(content) > self._bounds.size // 2:
            message = f"an episode of {len(content)} bytes; a caller may have {self._bounds.size // 2}"
            raise GatewayError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "RESOURCE_EXHAUSTED", message)
        if self._in_memory:  # where what is over takes what is bounded
            self._remove_expired()
        with self._lock:
            self._require_place(owner, len(content), address)
            self._places[episode.id] = _Place(owner, len(content), episode.expires, address)
        try:
            self._write(episode.id, content)
        except BaseException:
            self._note(episode.id, None)
            raise
        return episode

    def get(self, owner: str, name: str) -> StoredEpisode:
        """Return an episode of a caller.

        Raises:
            GatewayError: The caller has none of this name, its time is over, or the store does not answer.
        """
        episode = self._find(name)
        if (
            episode is None
            or episode.expires <= self._clock()
            or not secrets.compare_digest(episode.owner, owner)
        ):
            raise _unknown()
        return episode

    def put(self, episode: StoredEpisode, state: EpisodeState) -> StoredEpisode:
        """Keep an episode after a step, which begins its time anew, and return it.

        Raises:
            GatewayError: It was removed meanwhile, or the store does not take it.
        """
        after = replace(episode, state=state, expires=self._clock() + self._bounds.seconds)
        content = after.to_json()
        with self._lock:
            if episode.id not in self._places:
                raise _unknown()
        self._write(episode.id, content)
        self._note(episode.id, _Place(episode.owner, len(content), after.expires))
        return after

    def remove(self, owner: str, name: str) -> None:
        """Forget an episode of a caller.

        Raises:
            GatewayError: The caller has none of this name, a step is under way, or the store does not answer.
        """
        self.get(owner, name)
        with self.alone(name):
            self._forget(name)

    def sweep(self) -> None:
        """Remove episodes that are over by what the store says of them, and count those of other gateways.

        What cannot be read now is neither removed nor forgotten; the next sweep looks again.
        """
        failures = [] if self._in_memory else self._look()
        failures += self._remove_expired()
        if failures:
            _log.warning("%s calls of the store of episodes failed: %s", len(failures), failures[0])

    def _look(self) -> list[str]:
        """Note the episodes in the store that are not known, and return what failed."""
        try:
            names = {one.removesuffix(_SUFFIX) for one in self._contents.names() if one.endswith(_SUFFIX)}
        except (OSError, StoreError) as error:
            return [str(error)]
        with self._lock:
            new = names - self._places.keys() - self._damaged
        failures = []
        for name in sorted(new):
            try:
                self._find(name)
            except GatewayError as error:
                failures.append(error.message)
        return failures

    def _remove_expired(self) -> list[str]:
        """Remove the episodes that nobody has used since their time was over, and return what failed."""
        now = self._clock()
        with self._lock:
            over = [name for name, place in self._places.items() if place.expires <= now]
        failures = []
        for name in over:
            try:
                with self.alone(name):
                    episode = self._find(name)  # another gateway may have used it
                    if episode is not None and episode.expires <= now:
                        self._forget(name)
            except GatewayError as error:
                if error.http != HTTPStatus.CONFLICT:
                    failures.append(error.message)
        return failures

    @contextmanager
    def alone(self, name: str) -> Iterator[None]:
        """Have an episode alone for the time of a block. It waits for nothing.

        Raises:
            GatewayError: Another request has it.
        """
        with self._lock:
            if name in self._under_way:
                message = "a step of the episode is under way; wait for its answer"
                raise GatewayError(HTTPStatus.CONFLICT, "ABORTED", message)
            self._under_way.add(name)
        try:
            yield
        finally:
            with self._lock:
                self._under_way.discard(name)

    def _find(self, name: str) -> StoredEpisode | None:
        """Return an episode by its name, whoever put it into the store, and note it; None if there is none.

        Raises:
            GatewayError: The store does not answer.
        """
        if not _ID.fullmatch(name):  # also what is no name of a file in a folder
            return None
        try:
            content = self._contents.read(name + _SUFFIX)
        except FileNotFoundError:
            self._note(name, None)
            return None
        except (OSError, StoreError) as error:
            raise _store_gone(error) from None
        try:
            episode = StoredEpisode.from_json(content)
            if episode.id != name:
                raise ValueError("is that of another name")
        except ValueError as error:
            with self._lock:
                self._damaged.add(name)
                self._places.pop(name, None)
            _log.warning("the episode %s cannot be read: %s", name, error)
            return None
        self._note(name, _Place(episode.owner, len(content), episode.expires))
        return episode

    def _note(self, name: str, place: _Place | None) -> None:
        with self._lock:
            if place is None:
                self._places.pop(name, None)
            else:
                known = self._places.get(name, place)
                self._places[name] = replace(place, address=known.address)

    def _require_place(self, owner: str, size: int, address: str) -> None:
        now = self._clock()
        current = [place for place in self._places.values() if place.expires > now]
        own = [place for place in current if place.owner == owner]
        many = len(own) >= self._bounds.each or len(current) >= self._bounds.count
        taken, of_all = sum(place.size for place in own), sum(one.size for one in current)
        large = taken + size > self._bounds.size // 2 or of_all + size > self._bounds.size
        there = [place.size for place in current if address and place.address == address]
        crowded = address and (
            len(there) + 1 > 2 * (self._bounds.count - len(current))
            or sum(there) + size > 2 * (self._bounds.size - of_all)
        )
        if not (many or large or crowded):
            return
        first = min((place.expires for place in own or current), default=0.0)
        message = f"{len(own)} episodes of yours are open; end some with DELETE, or come back later"
        raise GatewayError(
            HTTPStatus.TOO_MANY_REQUESTS,
            "RESOURCE_EXHAUSTED",
            message,
            retry_after_seconds=min(_LATEST, max(_SOONEST, first - now)),
        )

    def _forget(self, name: str) -> None:
        try:
            self._contents.remove({name + _SUFFIX})
        except (OSError, StoreError) as error:
            raise _store_gone(error) from None
        self._note(name, None)

    def _write(self, name: str, content: bytes) -> None:
        try:
            self._contents.write(name + _SUFFIX, content)
        except (WriteError, StoreError) as error:
            raise _store_gone(error) from None


def _store_gone(error: OSError | I2SError) -> GatewayError:
    reason = error.message if isinstance(error, I2SError) else error.strerror or type(error).__name__
    return store_away(f"the store of episodes does not answer: {reason}")


def store_away(message: str) -> GatewayError:
    """Return the error of a request for which the store of episodes did nothing."""
    return GatewayError(HTTPStatus.SERVICE_UNAVAILABLE, "UNAVAILABLE", message, retry_after_seconds=_SOONEST)


def _unknown() -> GatewayError:
    return GatewayError(HTTPStatus.NOT_FOUND, "NOT_FOUND", "there is no such episode of yours")
