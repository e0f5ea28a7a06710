"""How a sample ended."""

from __future__ import annotations

import enum


class Outcome(enum.StrEnum):
    """A closed list: what the model did is SCORED or NO_STRUCTURE, the rest stopped us and not the model."""

    SCORED = "scored"
    NO_STRUCTURE = "no_structure"
    MODEL_FAILURE = "model_failure"
    RENDER_FAILURE = "render_failure"
    METRIC_FAILURE = "metric_failure"
    CANCELLED = "cancelled"

    @property
    def counts(self) -> bool:
        """Whether the sample has a score: that of its rendering, or 0 for there being none."""
        return self in (Outcome.SCORED, Outcome.NO_STRUCTURE)
