"""The chart task: its prompts, and everything that the pipeline asks of it, for one profile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from i2s_sdk.instances.instance import Content, Instance
from i2s_sdk.scoring.scorer import Scorer
from i2s_sdk.tasks.chart.document import ChartProgram, repair
from i2s_sdk.tasks.chart.evidence import NOTHING_UNSEEN, unseen_objects
from i2s_sdk.tasks.chart.pixels import pixels_of
from i2s_sdk.tasks.chart.reading import extract
from i2s_sdk.tasks.chart.scorer import ElementScorer, PublishedScorer, figure_to_text
from i2s_sdk.tasks.question import Question, image_of, texts_then_image
from i2s_sdk.tasks.repair import Repair, Repaired
from i2s_sdk.tasks.structure import NoStructure, Structure
from i2s_sdk.tasks.task import RenderedTask
from i2s_wire.metrics.profile import Profile
from i2s_wire.metrics.score import SizePolicy
from i2s_wire.render.figure import Figure
from i2s_wire.render.options import RenderOptions
from i2s_wire.render.rendering import Rendering
from i2s_wire.render.request import PythonSource, RenderRequest

#: The image is the chart.
PROMPT = (
    "Write a Python program that uses matplotlib and draws the chart of this image as exactly as possible: "
    "the same kind of chart, the same data, texts, colours, axes and layout, and the same size of the "
    "figure. All data must be in the program. Answer with the program alone, in one fenced block of Python."
)
#: The image is a chart with other data; the instruction follows.
STYLE_PROMPT = (
    "Write a Python program that uses matplotlib and draws the chart that the following instruction asks "
    "for, in the style of this image. Answer with the program alone, in one fenced block of Python."
)
INSTRUCTION = "\n\nInstruction:\n"
FIGURE_SIZE = "\n\nThe figure is {width:g} by {height:g} inches."
FILES = "\n\nThe program may read these files: {names}."


def texts(instance: Instance) -> tuple[str, ...]:
    """Return the texts of the question of an instance, in order; the instruction is verbatim."""
    inputs = instance.inputs
    pieces = [STYLE_PROMPT if "style" in instance.files else PROMPT]
    if inputs.get("figure_size"):
        width, height = inputs["figure_size"]
        pieces.append(FIGURE_SIZE.format(width=width, height=height))
    if instance.assets:
        pieces.append(FILES.format(names=", ".join(asset.name for asset in instance.assets)))
    if inputs.get("instruction"):
        pieces.append(INSTRUCTION + inputs["instruction"])
    return tuple(pieces)


@dataclass(frozen=True, slots=True)
class ChartTask(RenderedTask[ChartProgram]):
    """An image of a chart, to be answered with a Python program that draws it."""

    #: Profile; ``helm`` (``reference``) has the scores of other benchmarks too.
    profile: Profile = Profile.PAPER
    #: Name as instances call it.
    name: str = "chart"
    #: Runs the programs.
    services: tuple[str, ...] = ("render-python",)
    #: How images of different size are compared.
    size_policy: SizePolicy = SizePolicy.PAD

    @property
    def scorers(self) -> tuple[Scorer, ...]:
        """The scores of elements, and in profile ``helm`` those of ChartMimic and Plot2Code."""
        if self.profile is Profile.HELM:
            return (ElementScorer(by_image=False), PublishedScorer())
        return (ElementScorer(),)

    def questions(self, instance: Instance) -> tuple[Question, ...]:
        """Return the one question of an instance: its texts, then its image, or that of the style."""
        shown = instance.files.get("style") or image_of(instance)
        return (texts_then_image(texts(instance), shown),)

    def prompt_texts(self) -> tuple[str, ...]:
        """Return the texts of its questions that are the same for all instances."""
        return (PROMPT, STYLE_PROMPT, FIGURE_SIZE, FILES, INSTRUCTION)

    def structure_from(self, completion: str, assets: Sequence[str] = ()) -> Structure | NoStructure:
        """Return the program in a completion, or that there is none."""
        return extract(completion)

    def document(self, structure: Structure, assets: Mapping[str, bytes] | None = None) -> ChartProgram:
        """Return the program that a structure is, with the assets beside it."""
        return ChartProgram(structure.code, files=assets or {})

    def request(self, document: ChartProgram) -> RenderRequest:
        """Return how the program is run: its last figure counts, with its objects."""
        source = PythonSource(document.source.encode("utf-8", "surrogatepass"), document.files)
        return RenderRequest(source, RenderOptions(python=document.options))

    def repair(
        self, document: ChartProgram, rendering: Rendering, past: Sequence[Repair] = ()
    ) -> Repaired[ChartProgram] | None:
        """Return the program after one more repair, or None if nothing helps."""
        return repair(document, rendering, past, notebooks=self.profile is Profile.PAPER)

    def text_for_edit(self, document: ChartProgram, rendering: Rendering) -> str:
        """Return the objects of the figure as text, which the scorer compares.

        It says which of them the image does not show.
        """
        if not rendering.figures or not rendering.pictures:
            return figure_to_text(Figure(), NOTHING_UNSEEN)
        figure, pixels = rendering.figures[0], pixels_of(rendering.pictures[0].png)
        return figure_to_text(figure, unseen_objects(figure, pixels))

    def truth(self, content: Content) -> str | ChartProgram | None:
        """Return the program of the ground truth, whose figure is compared with; None if there is none."""
        return ChartProgram(content.structure, files=content.assets) if content.structure else None
