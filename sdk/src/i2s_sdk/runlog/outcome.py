"""How a sample ended."""

from __future__ import annotations

import enum


class Outcome(enum.StrEnum):
    """A closed list: SCORED, NO_STRUCTURE and REFUSED are the model's doing; the rest stopped us instead.

    A sample whose model refused has 0 in every metric, as one whose answer holds no code.
    """

    SCORED = "scored"
    NO_STRUCTURE = "no_structure"
    REFUSED = "refused"
    MODEL_FAILURE = "model_failure"
    RENDER_FAILURE = "render_failure"
    METRIC_FAILURE = "metric_failure"
    CANCELLED = "cancelled"

    @property
    def counts(self) -> bool:
        """Whether the sample has a score: that of its rendering, or 0 for there being none."""
        return self in (Outcome.SCORED, Outcome.NO_STRUCTURE, Outcome.REFUSED)
