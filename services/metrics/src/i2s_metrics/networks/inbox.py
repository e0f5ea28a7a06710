"""Where requests wait until they are a batch."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from i2s_metrics.model import Inputs


@dataclass(frozen=True, slots=True)
class Request:
    """Something to compare.

    Attributes:
        number: Identifies the request.
        inputs: What to compare.
        arrived: Time of arrival, by the clock of the inbox.
    """

    number: int
    inputs: Inputs
    arrived: float


class Inbox:
    """Requests of many calls, taken out in batches for one network; safe to share between threads.

    Args:
        most: Requests of one batch.
        wait_seconds: What the first request of a batch waits for others at most.
        clock: Returns the time in seconds; tests pass another function.
    """

    def __init__(self, most: int, wait_seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._wait_seconds, self._clock = most, wait_seconds, clock
        self._requests: list[Request] = []
        self._changed = threading.Condition()
        self._closed = False

    def put(self, number: int, inputs: Inputs) -> None:
        """Add a request."""
        with self._changed:
            self._requests.append(Request(number, inputs, self._clock()))
            self._changed.notify()

    def drop(self, number: int) -> None:
        """Forget a request that nobody waits for any more, if it was not taken yet."""
        with self._changed:
            self._requests = [request for request in self._requests if request.number != number]

    def close(self) -> None:
        """Have no more requests; what is there can still be taken."""
        with self._changed:
            self._closed = True
            self._changed.notify()

    def take(self) -> list[Request]:
        """Return the next batch, waiting for it; empty if there will be none.

        The oldest request decides the network. A batch that is full does not wait.
        """
        with self._changed:
            while True:
                batch = self._next()
                if self._closed or len(batch) == self._most:
                    break
                remaining = batch[0].arrived + self._wait_seconds - self._clock() if batch else None
                if remaining is not None and remaining <= 0:
                    break
                self._changed.wait(remaining)
            self._requests = [request for request in self._requests if request not in batch]
            return batch

    def _next(self) -> list[Request]:
        if not self._requests:
            return []
        network = self._requests[0].inputs.comparison.network
        fitting = [request for request in self._requests if request.inputs.comparison.network is network]
        return fitting[: self._most]
