"""What was found in a completion."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from i2s_sdk.tasks.repair import Repair


class Origin(enum.StrEnum):
    """Where in a completion the code stood."""

    FENCE = "fence"
    UNCLOSED_FENCE = "unclosed_fence"
    BARE = "bare"


@dataclass(frozen=True, slots=True)
class Structure:
    """The code taken from a completion.

    Attributes:
        code: Code as text; of a site, the list of its files as JSON.
        origin: Where it stood.
        repairs: What had to be mended before there was any code.
    """

    code: str
    origin: Origin = Origin.BARE
    repairs: tuple[Repair, ...] = ()


@dataclass(frozen=True, slots=True)
class NoStructure:
    """A completion without code. It counts as a failed rendering; ``reason`` is a sentence for people."""

    reason: str
