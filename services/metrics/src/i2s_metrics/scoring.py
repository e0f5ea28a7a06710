"""One comparison from encoded pictures to outcomes; runs in a worker and knows nothing of it.

If a metric needs a network the outcome is what the network has to compare: ``completion`` finishes it.
"""

from __future__ import annotations

import hashlib
import time

from i2s_metrics import registry
from i2s_metrics.bounded_cache import BoundedCache
from i2s_metrics.decode import MOST_SCANS, decode
from i2s_metrics.errors import BadImageError
from i2s_metrics.functional.arrays import RgbArray
from i2s_metrics.functional.errors import UndefinedError
from i2s_metrics.metrics.base import Metric
from i2s_metrics.model import Draft, Inputs, Job, Outcome
from i2s_metrics.pair import Pair
from i2s_metrics.registry import Missing, reason_against
from i2s_metrics.sizes import equalise
from i2s_wire.metrics.score import MetricFailure, MetricFailureKind


def draft(
    job: Job, cache: BoundedCache, most_pixels: int, missing: Missing, most_scans: int = MOST_SCANS
) -> Draft:
    """Compare two encoded pictures, as far as that goes without networks.

    A picture that cannot be read fails every metric with BAD_IMAGE; so does a pair whose common
    size is too large.

    Args:
        job: What to compare.
        cache: Keeps what is made of references.
        most_pixels: Maximum number of pixels of each picture, and of the size that both get.
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


def _pair(job: Job, cache: BoundedCache, most_pixels: int, most_scans: int) -> Pair:
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


def _outcome(metric: Metric, pair: Pair, missing: Missing) -> Outcome | Inputs:
    if reason := reason_against(metric, missing):
        return MetricFailure(MetricFailureKind.UNAVAILABLE, reason)
    try:
        return metric.compute(pair)
    except UndefinedError as error:
        return metric.undefined_value() or MetricFailure(MetricFailureKind.UNDEFINED, str(error))
