"""What a definition raises if it has no value."""

from __future__ import annotations


class UndefinedError(ValueError):
    """The metric is not defined for this pair; the message says why, for people."""
