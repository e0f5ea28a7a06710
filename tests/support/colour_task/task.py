"""What a model is asked, and how its answer is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from colour_task.scorer import AcceptedScorer
from i2s_sdk.instances.instance import Instance
from i2s_sdk.scoring.scorer import Scorer
from i2s_sdk.tasks.question import ImagePart, Question, TextPart, image_of
from i2s_sdk.tasks.structure import NoStructure, Structure
from i2s_sdk.tasks.task import Task
from i2s_wire.metrics.profile import Profile

_ASK = "Which colour is this? Answer with one word."


@dataclass(frozen=True, slots=True)
class ColourTask(Task):
    """An image, to be answered with the name of its colour."""

    profile: Profile = Profile.PAPER
    name: str = "colour"
    scorers: tuple[Scorer, ...] = (AcceptedScorer(),)

    def questions(self, instance: Instance) -> tuple[Question, ...]:
        """Return what the model is asked: the image, then the question."""
        return (Question((ImagePart(image_of(instance)), TextPart(_ASK))),)

    def prompt_texts(self) -> tuple[str, ...]:
        """Return the text of the question."""
        return (_ASK,)

    def structure_from(self, completion: str, assets: Sequence[str] = ()) -> Structure | NoStructure:
        """Return the last line of the completion."""
        lines = completion.split("\n")
        return Structure(lines[-1].strip()) if lines[-1].strip() else NoStructure("the answer is empty")
