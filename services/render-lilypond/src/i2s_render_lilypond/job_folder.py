"""Where the steps of one job run: a fresh cell, or a child of a warm process."""

from __future__ import annotations

from typing import Protocol

from i2s_chassis.jail import Excerpt
from i2s_chassis.warm.forked_job import Ran
from i2s_render_lilypond.paper import Paper


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
