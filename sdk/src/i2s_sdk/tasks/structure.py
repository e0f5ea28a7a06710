"""What was found in a completion."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Origin(enum.StrEnum):
    """Where in a completion the code stood."""

    FENCE = "fence"
    UNCLOSED_FENCE = "unclosed_fence"
    BARE = "bare"


@dataclass(frozen=True, slots=True)
class Structure:
    """The code taken from a completion, and where it stood."""

    code: str
    origin: Origin = Origin.BARE


@dataclass(frozen=True, slots=True)
class NoStructure:
    """A completion without code. It counts as a failed rendering; ``reason`` is a sentence for people."""

    reason: str
