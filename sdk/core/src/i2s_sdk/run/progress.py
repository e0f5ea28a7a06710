"""The progress of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """Samples of a run by how far they are, those of earlier starts among them.

    Attributes:
        planned: Instances of the run.
        generated: Samples that have an answer.
        rendered: Samples that were rendered, or have nothing to render.
        finished: Samples that have ended.
        paid: US dollars that are known to have been paid for answers.
        last: Id of the sample that went on; empty at the beginning.
        run: What is evaluated: the name of the model.
        note: What the model waits for, such as batches; empty for nothing.
        reference: Whether the run measures a reference point, which the command was not asked for by name.
    """

    planned: int
    generated: int
    rendered: int
    finished: int
    paid: float = 0.0
    last: str = ""
    run: str = ""
    note: str = ""
    reference: bool = False


#: Called at the beginning of the work, and each time that a sample went through a stage.
OnProgress = Callable[[Progress], None]


@contextmanager
def noted_waits(model: object, listener: Callable[[str], None]) -> Iterator[None]:
    """Have a model say what it waits for, as long as the block lasts.

    Args:
        model: The model; it has an attribute ``on_wait`` if it can say that.
        listener: Called with one line.
    """
    if not hasattr(model, "on_wait"):
        yield
        return
    before = model.on_wait
    model.on_wait = listener
    try:
        yield
    finally:
        model.on_wait = before


def say_nothing(progress: Progress) -> None:
    """Be called, and do nothing."""
