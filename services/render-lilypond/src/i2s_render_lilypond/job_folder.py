"""Where the steps of one job run: a fresh cell, or a child of a warm process."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from i2s_chassis.jail import Cause, Excerpt, PolicyEvent, Usage
from i2s_render_lilypond.paper import Paper


@dataclass(frozen=True, slots=True)
class Ran:
    """How a step ended: why, what it used, what it was prevented from."""

    cause: Cause
    usage: Usage
    events: tuple[PolicyEvent, ...] = ()


class JobFolder(Protocol):
    """A work folder that holds one score, and the engines that may work on it.

    Attributes:
        kind: "cold" or "zygote".
    """

    kind: str

    async def typeset(self) -> Ran:
        """Have LilyPond make pages of the score."""

    async def draw(self, paper: Paper, dpi: float, first: int, last: int) -> Ran:
        """Have Ghostscript draw pages of the score."""

    async def fetch(self, name: str, max_bytes: int | None = None) -> bytes:
        """Return a file; raises OutputError."""

    async def excerpt(self, name: str, head: int, tail: int) -> Excerpt:
        """Return the first and last bytes of a file; raises OutputError."""
