"""What can go wrong with a comparison.

    MetricError
    ├── BadImageError        a picture cannot be read, or is larger than allowed
    └── UnknownMetricError   a name that no metric has

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
