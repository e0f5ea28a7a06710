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


class Absence(enum.StrEnum):
    """The kind of an answer without structure.

    NO_STRUCTURE: It holds nothing that the task reads. REFUSED: It says that the model will not answer.
    ENDED_IN_REASONING: It ends before the reasoning of the model does.
    """

    NO_STRUCTURE = "no_structure"
    REFUSED = "refused"
    ENDED_IN_REASONING = "ended_in_reasoning"


@dataclass(frozen=True, slots=True)
class NoStructure:
    """A completion without code, which counts as a failed rendering.

    Attributes:
        reason: A sentence for people.
        absence: Its kind, by which a run counts it.
    """

    reason: str
    absence: Absence = Absence.NO_STRUCTURE
