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
from i2s_wire.metrics.score import MetricFailure, MetricFailureKind, SizePolicy


def draft(
    job: ComparisonJob, cache: BoundedCache, most_pixels: int, missing: Missing, most_scans: int = MOST_SCANS
) -> Draft:
    """Compare two encoded images, as far as that goes without networks.

    An image that cannot be read fails every metric with BAD_IMAGE; a pair whose common size is too large
    fails those metrics that need it.

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
    try:
        pairs = _Pairs(job, cache, most_pixels, most_scans)
    except BadImageError as error:
        return Draft((_bad_image(error),) * len(metrics), 0, 0, time.process_time() - started)
    outcomes: dict[str, Outcome | Inputs] = {}
    for metric in metrics:
        equal = outcomes.get(metric.same_as) if pairs.are_equal_in_size else None
        outcomes[metric.name] = equal or _outcome(metric, pairs, job.policy, missing)
    width, height = pairs.size(job.policy)
    return Draft(tuple(outcomes.values()), width, height, time.process_time() - started)


class _Pairs:
    """The decoded images of a job, brought to one size by each policy that is asked for.

    Raises:
        BadImageError: One of them cannot be decoded.
    """

    def __init__(self, job: ComparisonJob, cache: BoundedCache, most_pixels: int, most_scans: int) -> None:
        bounds = most_pixels, most_scans
        self._digest, self._cache, self._most_pixels = (
            hashlib.sha256(job.reference).hexdigest(),
            cache,
            most_pixels,
        )
        self._reference = cache.get(
            ("pixels", self._digest), lambda: _decode("reference", job.reference, *bounds)
        )
        self._prediction = _decode("prediction", job.prediction, *bounds)
        self._pairs: dict[SizePolicy, Pair] = {}

    @property
    def are_equal_in_size(self) -> bool:
        """Whether no policy changes an image."""
        return self._prediction.shape == self._reference.shape

    def pair(self, policy: SizePolicy) -> Pair:
        """Return the images in one size.

        Raises:
            BadImageError: The size has too many pixels.
        """
        if policy not in self._pairs:
            equal = equalise(self._prediction, self._reference, policy, self._most_pixels)
            same = self.are_equal_in_size
            self._pairs[policy] = Pair(*equal, self._digest, self._cache, same_size=same)
        return self._pairs[policy]

    def size(self, policy: SizePolicy) -> tuple[int, int]:
        """Return width and height of both images; 0 if there is no such size."""
        try:
            height, width, _ = self.pair(policy).reference.shape
        except BadImageError:
            return 0, 0
        return width, height


def _bad_image(error: BadImageError) -> MetricFailure:
    return MetricFailure(MetricFailureKind.BAD_IMAGE, str(error))


def _decode(which: str, data: bytes, most_pixels: int, most_scans: int) -> RgbArray:
    try:
        return decode(data, most_pixels, most_scans)
    except BadImageError as error:
        raise BadImageError(f"{which}: {error}") from error


def _outcome(metric: ImageMetric, pairs: _Pairs, policy: SizePolicy, missing: Missing) -> Outcome | Inputs:
    try:
        pair = pairs.pair(metric.size_policy or policy)
    except BadImageError as error:
        return _bad_image(error)
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
