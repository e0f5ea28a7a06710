"""The structure of a completion, or the reason why it has none."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from i2s_sdk.tasks.repair import Repair


class Origin(enum.StrEnum):
    """Where in a completion the code stood.

    BARE: It is all of the answer. EXCERPT: It is a stretch of an answer without fences; the prose, JSON or
    elements of HTML around it are left out.
    """

    FENCE = "fence"
    UNCLOSED_FENCE = "unclosed_fence"
    BARE = "bare"
    EXCERPT = "excerpt"


@dataclass(frozen=True, slots=True)
class BlockChoice:
    """The choice among several fenced blocks of an answer."""

    #: Number of blocks; 0 if there were no two to choose from.
    blocks: int = 0
    #: Numbers of those that are the structure, from 1.
    taken: tuple[int, ...] = ()

    @classmethod
    def among(cls, blocks: int, taken: tuple[int, ...]) -> BlockChoice:
        """Return the choice among some blocks, which is none among fewer than two."""
        return cls(blocks, taken) if blocks > 1 else cls()


#: The choice of an answer with fewer than two blocks.
NO_CHOICE = BlockChoice()


@dataclass(frozen=True, slots=True)
class Structure:
    """The code taken from a completion."""

    #: Code as text; of a site, the list of its files as JSON.
    code: str
    #: Where it stood.
    origin: Origin = Origin.BARE
    #: What had to be mended before there was any code.
    repairs: tuple[Repair, ...] = ()
    #: Which of the blocks of the answer it is.
    choice: BlockChoice = NO_CHOICE


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
    """A completion without code, which counts as a failed rendering."""

    #: A sentence for people.
    reason: str
    #: Its kind, by which a run counts it.
    absence: Absence = Absence.NO_STRUCTURE
