"""Values of metrics as bytes that are equal if the values are equal."""

from __future__ import annotations

from google.protobuf.message import DecodeError

from i2s.metrics.v1 import metrics_pb2 as pb
from i2s_wire.errors import ContractError
from i2s_wire.metrics import from_wire, to_wire
from i2s_wire.metrics.score import MetricResult


def result_bytes(result: MetricResult) -> bytes:
    """Return the value of a metric, or the reason why there is none, as bytes."""
    return to_wire.metric_result(result).SerializeToString(deterministic=True)


def result_from_bytes(content: bytes) -> MetricResult:
    """Return what ``result_bytes`` wrote.

    Raises:
        ContractError: The bytes are no value of a metric.
    """
    try:
        return from_wire.metric_result(pb.MetricResult.FromString(content))
    except DecodeError as error:
        raise ContractError(f"bytes that are no value of a metric: {error}") from None
