"""What a model is asked, and how its answer is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from i2s_sdk.instances.instance import Instance
from i2s_sdk.reading import unwrapped_answer
from i2s_sdk.scoring.scorer import Scorer
from i2s_sdk.tasks.question import Question, image_of, texts_then_image
from i2s_sdk.tasks.shapecode.program import program_in
from i2s_sdk.tasks.shapecode.scorer import ShapeScorer
from i2s_sdk.tasks.structure import NoStructure, Structure
from i2s_sdk.tasks.task import Task
from i2s_wire.metrics.profile import Profile

#: The most tokens of an answer.
MAX_TOKENS = 2048
PROMPT = (
    "The image has 512 by 512 pixels and shows black shapes on white, drawn without smoothing. Write the "
    "program that draws it, a line for each shape, with whole numbers of pixels:\n"
    "circle(cx=…, cy=…, radius=…, stroke=…)\n"
    "filled_circle(cx=…, cy=…, radius=…)\n"
    "square(cx=…, cy=…, size=…, stroke=…)\n"
    "filled_square(cx=…, cy=…, size=…)\n"
    "cx and cy are the column and the row of the centre, from 0 to 511, counted from the left upper corner; "
    "size is the side of a square; stroke is the width of the line, inwards from the edge. Answer with the "
    "program alone."
)


@dataclass(frozen=True, slots=True)
class ShapeCodeTask(Task):
    """An image of shapes, to be answered with the program that draws it; the scorer draws."""

    #: Profile whose rules are followed; those of this task are the same for all.
    profile: Profile = Profile.PAPER
    #: Name as instances call it.
    name: str = "shapecode"
    #: The scorer, which draws and compares.
    scorers: tuple[Scorer, ...] = (ShapeScorer(),)

    def questions(self, instance: Instance) -> tuple[Question, ...]:
        """Return the one question of an instance: the language, then the image."""
        return (texts_then_image((PROMPT,), image_of(instance)),)

    def prompt_texts(self) -> tuple[str, ...]:
        """Return the text of the question."""
        return (PROMPT,)

    def structure_from(self, completion: str, assets: Sequence[str] = ()) -> Structure | NoStructure:
        """Return the program in a completion, or that there is none."""
        program = program_in(unwrapped_answer(completion))
        return Structure(program) if program else NoStructure("the answer has no program")
