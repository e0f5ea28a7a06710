"""Where the steps of one job run: a fresh cell, or a child of a warm process."""

from __future__ import annotations

from typing import Protocol

from i2s_chassis.jail import Excerpt
from i2s_chassis.warm.forked_job import Ran
from i2s_render_lilypond.raster import Drawing


class JobFolder(Protocol):
    """A work folder that holds one score, and the engines that may work on it.

    Attributes:
        kind: "cold" or "zygote".
    """

    kind: str

    async def typeset(self, plan: str | None) -> Ran:
        """Have LilyPond make pages of the score.

        Args:
            plan: What cairo is to draw, see ``backend.cairo_plan``; None leaves the pages PostScript.
        """

    async def draw(self, asked: Drawing) -> Ran:
        """Have Ghostscript draw pages of the score."""

    async def fetch(self, name: str, max_bytes: int | None = None) -> bytes:
        """Return a file; raises OutputError."""

    async def excerpt(self, name: str, head: int, tail: int) -> Excerpt:
        """Return the first and last bytes of a file; raises OutputError."""
