"""What can go wrong with a comparison.

    MetricError
    ├── BadImageError        a picture cannot be read, or is larger than allowed
    ├── DeviceError          the networks cannot run where they shall
    ├── UnknownMetricError   a name that no metric has
    └── WeightsError         weights are missing, damaged or others

``functional.errors.UndefinedError`` (no value for this pair) stands by itself, because the
definitions know nothing of this package.
"""

from __future__ import annotations


class MetricError(Exception):
    """Base of this tree."""


class BadImageError(MetricError):
    """A picture cannot be read, or is larger than allowed; the message says why."""


class UnknownMetricError(MetricError):
    """A name that no metric has; the message says which there are."""


class WeightsError(MetricError):
    """Weights of a network are missing, damaged or not what they should be; the message says what to do."""


class DeviceError(MetricError):
    """The networks cannot run where they shall; the message says what to do."""
