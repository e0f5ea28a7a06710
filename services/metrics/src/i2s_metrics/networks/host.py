"""The process that runs the networks: the requests that wait for a batch, and its answers."""

from __future__ import annotations

import os
import socket
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from i2s_metrics.errors import MetricError
from i2s_metrics.frames import LENGTH, framed
from i2s_metrics.model import Inputs
from i2s_metrics.networks import messages
from i2s_metrics.networks.messages import Description, HostSettings, NetworkAnswer


@dataclass(frozen=True, slots=True)
class NetworkRequest:
    """Something to compare."""

    #: Identifies the request.
    number: int
    #: What to compare.
    inputs: Inputs
    #: Time of arrival, by the clock of the inbox.
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
        self._requests: list[NetworkRequest] = []
        self._changed = threading.Condition()
        self._closed = False

    def put(self, number: int, inputs: Inputs) -> None:
        """Add a request."""
        with self._changed:
            self._requests.append(NetworkRequest(number, inputs, self._clock()))
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

    def take(self) -> list[NetworkRequest]:
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

    def _next(self) -> list[NetworkRequest]:
        if not self._requests:
            return []
        network = self._requests[0].inputs.comparison.network
        fitting = [request for request in self._requests if request.inputs.comparison.network is network]
        return fitting[: self._most]


class Answerer(Protocol):
    """The answerer of batches; see ``runner.NetworkRunner``."""

    def answer(self, batch: Sequence[Inputs]) -> list[float]:
        """Return one number for each pair."""


#: Makes the networks ready.
Load = Callable[[HostSettings], tuple[Answerer, Description]]


def run(connection: socket.socket, settings: HostSettings) -> None:
    """Load the published networks and serve until the other end is closed."""
    serve(connection, settings, _load)


def serve(connection: socket.socket, settings: HostSettings, load: Load) -> None:
    """Answer requests until the other end is closed.

    Args:
        connection: Our end.
        settings: Settings of this process.
        load: The function that makes the networks; called first.
    """
    with connection:
        try:
            answerer, description = load(settings)
        except MetricError as error:
            connection.sendall(framed(messages.pack_fault(str(error))))
            return
        except Exception:
            connection.sendall(framed(messages.pack_fault(traceback.format_exc())))
            return
        connection.sendall(framed(messages.pack_description(description)))
        inbox = Inbox(settings.batch_size, settings.batch_wait_seconds)
        threading.Thread(target=_read, args=(connection, inbox), daemon=True).start()
        while batch := inbox.take():
            connection.sendall(b"".join(framed(answer) for answer in _answers(answerer, batch)))


def _load(settings: HostSettings) -> tuple[Answerer, Description]:
    # PyTorch makes this folder while it is imported, and only its compiler, which nothing here uses, writes
    # to it. A confined process makes no folders.
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = "/"
    from i2s_metrics.networks.loading import load_networks  # torch: seconds, and hundreds of MiB

    return load_networks(settings)


def _read(connection: socket.socket, inbox: Inbox) -> None:
    try:
        with connection.makefile("rb") as frames:
            while len(length := frames.read(LENGTH.size)) == LENGTH.size:
                number, inputs = messages.unpack_request(frames.read(*LENGTH.unpack(length)))
                if inputs is None:
                    inbox.drop(number)
                else:
                    inbox.put(number, inputs)
    finally:
        inbox.close()


def _answers(answerer: Answerer, batch: list[NetworkRequest]) -> list[bytes]:
    started = time.process_time()
    try:
        values = answerer.answer([request.inputs for request in batch])
    except Exception:
        fault = traceback.format_exc()
        return [messages.pack_fault(fault, request.number) for request in batch]
    share = (time.process_time() - started) / len(batch)
    return [
        messages.pack_answer(request.number, NetworkAnswer(value, share))
        for request, value in zip(batch, values, strict=True)
    ]
