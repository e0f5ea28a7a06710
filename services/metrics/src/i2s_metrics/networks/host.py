"""The process that runs the networks: reads requests from a socket, answers them in batches."""

from __future__ import annotations

import os
import socket
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from typing import Protocol

from i2s_metrics.errors import MetricError
from i2s_metrics.frames import LENGTH, framed
from i2s_metrics.model import Inputs
from i2s_metrics.networks import messages
from i2s_metrics.networks.host_settings import HostSettings
from i2s_metrics.networks.inbox import Inbox, Request
from i2s_metrics.networks.messages import Answer, Description


class Answerer(Protocol):
    """What answers batches; see ``runner.Runner``."""

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


def _answers(answerer: Answerer, batch: list[Request]) -> list[bytes]:
    started = time.process_time()
    try:
        values = answerer.answer([request.inputs for request in batch])
    except Exception:
        fault = traceback.format_exc()
        return [messages.pack_fault(fault, request.number) for request in batch]
    share = (time.process_time() - started) / len(batch)
    return [
        messages.pack_answer(request.number, Answer(value, share))
        for request, value in zip(batch, values, strict=True)
    ]
