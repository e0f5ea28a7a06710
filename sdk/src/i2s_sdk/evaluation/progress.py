"""How far a run is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """Samples of a run by how far they are, those of earlier starts among them.

    Attributes:
        planned: Of the run.
        generated: That have an answer.
        rendered: That were rendered, or have nothing to render.
        finished: That have ended.
        paid: US dollars that are known to have been paid for answers.
        last: Id of the sample that went on; empty at the beginning.
        run: What is evaluated: the name of the model.
    """

    planned: int
    generated: int
    rendered: int
    finished: int
    paid: float = 0.0
    last: str = ""
    run: str = ""


#: Called at the beginning of the work, and each time that a sample went through a stage.
OnProgress = Callable[[Progress], None]


def say_nothing(progress: Progress) -> None:
    """Be called, and do nothing."""
