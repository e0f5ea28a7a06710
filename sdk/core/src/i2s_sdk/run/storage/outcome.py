"""How a sample ended."""

from __future__ import annotations

import enum


class Outcome(enum.StrEnum):
    """A closed list. SCORED, NO_STRUCTURE, REFUSED and ENDED_IN_REASONING are the model's, the rest ours.

    A sample whose model refused, or whose answer ends within its reasoning, has 0 in every metric, as one
    whose answer holds no code. INPUT_REJECTED: the server of the model rejected this one input (status 400,
    413 or 422), so that there is no answer and no score.
    """

    SCORED = "scored"
    NO_STRUCTURE = "no_structure"
    REFUSED = "refused"
    ENDED_IN_REASONING = "ended_in_reasoning"
    INPUT_REJECTED = "input_rejected"
    MODEL_FAILURE = "model_failure"
    RENDER_FAILURE = "render_failure"
    METRIC_FAILURE = "metric_failure"
    CANCELLED = "cancelled"

    @property
    def asked_again(self) -> bool:
        """Whether the model is asked again when the run is resumed, since there is no answer."""
        return self in (Outcome.MODEL_FAILURE, Outcome.INPUT_REJECTED)

    @property
    def counts(self) -> bool:
        """Whether the sample has a score: that of its rendering, or 0 for there being none."""
        return self in (Outcome.SCORED, Outcome.NO_STRUCTURE, Outcome.REFUSED, Outcome.ENDED_IN_REASONING)
