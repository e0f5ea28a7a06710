"""The task ``drawing``: an image, to be answered with a Python program that draws it with Pillow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from i2s_sdk.instances.instance import Content, Instance
from i2s_sdk.scoring.scorer import Scorer
from i2s_sdk.tasks.question import ImagePart, Question, TextPart, image_of
from i2s_sdk.tasks.repair import Repair, Repaired
from i2s_sdk.tasks.spec import FILE, TaskSpec, fields
from i2s_sdk.tasks.structure import NoStructure, Structure
from i2s_sdk.tasks.task import RenderedTask
from i2s_wire.metrics.profile import Profile
from i2s_wire.metrics.score import SizePolicy
from i2s_wire.render.rendering import Rendering
from i2s_wire.render.request import GenericSource, RenderRequest
from shades.scorers import CharactersScorer

_QUESTION = "Write a Python program that draws this image with Pillow and saves it as page.png."


@dataclass(frozen=True, slots=True)
class Program:
    """A program that draws with Pillow."""

    source: str


@dataclass(frozen=True, slots=True)
class DrawingTask(RenderedTask[Program]):
    """An image, to be answered with a program that draws it."""

    profile: Profile = Profile.PAPER
    name: str = "drawing"
    image_metrics: tuple[str, ...] = ()
    scorers: tuple[Scorer, ...] = (CharactersScorer(),)
    services: tuple[str, ...] = ("render-pillow",)
    size_policy: SizePolicy = SizePolicy.PAD

    def questions(self, instance: Instance) -> tuple[Question, ...]:
        """Return the image, then the question."""
        return (Question((ImagePart(image_of(instance)), TextPart(_QUESTION))),)

    def prompt_texts(self) -> tuple[str, ...]:
        """Return the text of the question."""
        return (_QUESTION,)

    def structure_from(self, completion: str, assets: Sequence[str] = ()) -> Structure | NoStructure:
        """Return the whole completion."""
        return Structure(completion) if completion.strip() else NoStructure("the answer is empty")

    def document(self, structure: Structure, assets: Mapping[str, bytes] | None = None) -> Program:
        """Return the program."""
        return Program(structure.code)

    def request(self, document: Program) -> RenderRequest:
        """Return the request to the renderer ``render-pillow``."""
        program = document.source.encode("utf-8", "surrogatepass")
        return RenderRequest(GenericSource("pillow", "program.py", {"program.py": program}))

    def repair(
        self, document: Program, rendering: Rendering, past: tuple[Repair, ...]
    ) -> Repaired[Program] | None:
        """Return None: nothing is repaired."""
        return None


def _answer(content: Content, question: Question) -> str:
    return str(content.target)


DRAWING = TaskSpec(
    name="drawing",
    title="Drawings",
    main_metric="characters",
    subsets=("plain",),
    canary=Structure("from PIL import Image\nImage.new('RGB', (3, 2), 'teal').save('page.png')\n"),
    open=DrawingTask,
    answer=_answer,
    inputs=fields({"image": FILE}),
    target={"type": "string"},
)
