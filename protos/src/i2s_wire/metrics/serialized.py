"""Values of metrics as bytes that are equal if the values are equal."""

from __future__ import annotations

from i2s.metrics.v1 import metrics_pb2 as pb
from i2s_wire.codec import decode_bytes, encode
from i2s_wire.metrics.score import MetricResult


def result_bytes(result: MetricResult) -> bytes:
    """Return the value of a metric, or the reason why there is none, as bytes."""
    return encode(result, pb.MetricResult).SerializeToString(deterministic=True)


def result_from_bytes(content: bytes) -> MetricResult:
    """Return what ``result_bytes`` wrote.

    Raises:
        ContractError: The bytes are not a value of a metric.
    """
    return decode_bytes(content, pb.MetricResult, MetricResult)
