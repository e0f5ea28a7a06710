"""The errors of comparisons, and of metrics that have no value."""

from __future__ import annotations


class MetricError(Exception):
    """Base of this tree."""


class BadImageError(MetricError):
    """An image cannot be read, or is larger than allowed; the message says why."""


class UnknownMetricError(MetricError):
    """A name that no metric has; the message says which there are."""


class WeightsError(MetricError):
    """Weights of a network are missing, damaged or not what they should be; the message says what to do."""


class DeviceError(MetricError):
    """The networks cannot run where they shall; the message says what to do."""


class UndefinedError(ValueError):
    """The metric is not defined for this pair; the message says why, for people."""
