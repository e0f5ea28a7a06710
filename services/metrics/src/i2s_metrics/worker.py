"""A worker process: reads jobs from a socket and answers them, one at a time."""

from __future__ import annotations

import socket
import traceback
from dataclasses import dataclass

from i2s_metrics.bounded_cache import BoundedCache
from i2s_metrics.decode import MOST_SCANS
from i2s_metrics.error_output import LOG_BYTES
from i2s_metrics.frames import LENGTH, framed, pack_draft, pack_fault, unpack_job
from i2s_metrics.registry import Missing
from i2s_metrics.scoring import draft


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """What a worker needs to know.

    Attributes:
        most_pixels: Maximum number of pixels of each picture.
        reference_bytes: What may be kept of references.
        missing: Networks that cannot be run here.
        most_scans: Maximum number of scans of a JPEG file.
        log_bytes: Bytes of its standard error that are logged in each minute.
    """

    most_pixels: int
    reference_bytes: int
    missing: Missing
    most_scans: int = MOST_SCANS
    log_bytes: int = LOG_BYTES


def work(connection: socket.socket, settings: WorkerSettings) -> None:
    """Answer jobs until the other end is closed."""
    cache = BoundedCache(settings.reference_bytes)
    with connection, connection.makefile("rb") as jobs:
        while length := jobs.read(LENGTH.size):
            frame = jobs.read(*LENGTH.unpack(length))
            connection.sendall(framed(_answer(frame, cache, settings)))


def _answer(frame: bytes, cache: BoundedCache, settings: WorkerSettings) -> bytes:
    try:
        job, bounds = unpack_job(frame), settings
        return pack_draft(draft(job, cache, bounds.most_pixels, bounds.missing, bounds.most_scans))
    except Exception:
        return pack_fault(traceback.format_exc())
