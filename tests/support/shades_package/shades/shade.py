"""The task ``shade``: which shade of grey is an image? Nothing is rendered."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from i2s_sdk.instances.instance import Content, Instance
from i2s_sdk.scoring.scorer import Scorer
from i2s_sdk.tasks.question import ImagePart, Question, TextPart, image_of
from i2s_sdk.tasks.spec import FILE, TaskSpec, fields
from i2s_sdk.tasks.structure import NoStructure, Structure
from i2s_sdk.tasks.task import Task
from i2s_wire.metrics.profile import Profile
from shades.scorers import DistanceScorer

_QUESTION = "Which shade of grey is this? Answer with a number from 0 (black) to 255 (white)."


@dataclass(frozen=True, slots=True)
class ShadeTask(Task):
    """An image of one shade of grey, to be answered with its number."""

    profile: Profile = Profile.PAPER
    name: str = "shade"
    scorers: tuple[Scorer, ...] = (DistanceScorer(),)

    def questions(self, instance: Instance) -> tuple[Question, ...]:
        """Return the image, then the question."""
        return (Question((ImagePart(image_of(instance)), TextPart(_QUESTION))),)

    def prompt_texts(self) -> tuple[str, ...]:
        """Return the text of the question."""
        return (_QUESTION,)

    def structure_from(self, completion: str, assets: Sequence[str] = ()) -> Structure | NoStructure:
        """Return the first number of the completion."""
        found = re.search(r"\b(25[0-5]|2[0-4]\d|1?\d?\d)\b", completion)
        return Structure(found[0]) if found else NoStructure("the answer has no number from 0 to 255")


def _answer(content: Content, question: Question) -> str:
    return str(content.target)


SHADE = TaskSpec(
    name="shade",
    title="Shades of grey",
    main_metric="closeness",
    subsets=("plain",),
    open=ShadeTask,
    answer=_answer,
    inputs=fields({"image": FILE}),
    target={"type": "integer", "minimum": 0, "maximum": 255},
    constant="128",
)
