"""A worker process: reads jobs from a socket, and drafts the score of one comparison after the other."""

from __future__ import annotations

import hashlib
import socket
import time
import traceback
from dataclasses import dataclass

from i2s_metrics import registry
from i2s_metrics.bounded_cache import BoundedCache
from i2s_metrics.errors import BadImageError, UndefinedError
from i2s_metrics.frames import LENGTH, framed, pack_draft, pack_fault, unpack_job
from i2s_metrics.functional.arrays import RgbArray
from i2s_metrics.images import MOST_SCANS, Pair, decode, equalise
from i2s_metrics.model import ComparisonJob, Draft, Inputs, Outcome
from i2s_metrics.processes import LOG_BYTES
from i2s_metrics.registry import ImageMetric, Missing, reason_against
from i2s_wire.metrics.score import MetricFailure, MetricFailureKind


def draft(
    job: ComparisonJob, cache: BoundedCache, most_pixels: int, missing: Missing, most_scans: int = MOST_SCANS
) -> Draft:
    """Compare two encoded images, as far as that goes without networks.

    An image that cannot be read fails every metric with BAD_IMAGE; so does a pair whose common
    size is too large.

    Args:
        job: What to compare.
        cache: Keeps what is made of references.
        most_pixels: Maximum number of pixels of each image, and of the size that both get.
        missing: Networks that cannot be run here.
        most_scans: Maximum number of scans of a JPEG file.

    Raises:
        UnknownMetricError: A name of the job is not in the registry.
    """
    started = time.process_time()
    metrics = [registry.find(name, job.profile) for name in job.metrics]
    width = height = 0
    outcomes: tuple[Outcome | Inputs, ...]
    try:
        pair = _pair(job, cache, most_pixels, most_scans)
        height, width, _ = pair.reference.shape
        outcomes = tuple(_outcome(metric, pair, missing) for metric in metrics)
    except BadImageError as error:
        outcomes = (MetricFailure(MetricFailureKind.BAD_IMAGE, str(error)),) * len(metrics)
    return Draft(outcomes, width, height, time.process_time() - started)


def _pair(job: ComparisonJob, cache: BoundedCache, most_pixels: int, most_scans: int) -> Pair:
    bounds = most_pixels, most_scans
    digest = hashlib.sha256(job.reference).hexdigest()
    reference = cache.get(("pixels", digest), lambda: _decode("reference", job.reference, *bounds))
    prediction = _decode("prediction", job.prediction, *bounds)
    equal = equalise(prediction, reference, job.policy, most_pixels)
    return Pair(*equal, digest, cache, same_size=prediction.shape == reference.shape)


def _decode(which: str, data: bytes, most_pixels: int, most_scans: int) -> RgbArray:
    try:
        return decode(data, most_pixels, most_scans)
    except BadImageError as error:
        raise BadImageError(f"{which}: {error}") from error


def _outcome(metric: ImageMetric, pair: Pair, missing: Missing) -> Outcome | Inputs:
    if reason := reason_against(metric, missing):
        return MetricFailure(MetricFailureKind.UNAVAILABLE, reason)
    try:
        return metric.compute(pair)
    except UndefinedError as error:
        return metric.undefined_value or MetricFailure(MetricFailureKind.UNDEFINED, str(error))


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """The settings of a worker."""

    #: Maximum number of pixels of each image.
    most_pixels: int
    #: What may be kept of references.
    reference_bytes: int
    #: Networks that cannot be run here.
    missing: Missing
    #: Maximum number of scans of a JPEG file.
    most_scans: int = MOST_SCANS
    #: Bytes of its standard error that are logged in each minute.
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
