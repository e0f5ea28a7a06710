"""The task ScImage: everything the pipeline asks of it, for one profile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from i2s_sdk.instances.images import has_one_color
from i2s_sdk.instances.instance import Content, Instance
from i2s_sdk.json_text import read_json
from i2s_sdk.reading import fenced_blocks
from i2s_sdk.scoring.scorer import Scorer
from i2s_sdk.tasks.chart.document import ChartProgram
from i2s_sdk.tasks.chart.document import repair as repair_python
from i2s_sdk.tasks.chart.reading import RULES as PYTHON
from i2s_sdk.tasks.chart.reading import extract as extract_python
from i2s_sdk.tasks.latex import LatexTask
from i2s_sdk.tasks.latex.reading import RULES as LATEX
from i2s_sdk.tasks.question import Question, TextPart
from i2s_sdk.tasks.repair import Repair, Repaired
from i2s_sdk.tasks.scimage.document import TIKZ, ScimageDocument, output_of, tikz_document
from i2s_sdk.tasks.scimage.document import repair as repair_tikz
from i2s_sdk.tasks.scimage.scorer import RenderedFigure, ScimageScorer
from i2s_sdk.tasks.structure import NoStructure, Structure
from i2s_sdk.tasks.task import RenderedTask
from i2s_wire.metrics.profile import Profile
from i2s_wire.metrics.score import SizePolicy
from i2s_wire.render.figure import Figure
from i2s_wire.render.options import Crop, LatexOptions, PageOptions, RenderOptions
from i2s_wire.render.rendering import Rendering
from i2s_wire.render.request import LatexSource, PythonSource, RenderRequest

#: Resolution of figures in TikZ.
DPI = 200.0
#: Sentences of the benchmark around a prompt, by language and output.
PROMPTS: Mapping[str, Mapping[str, str]] = read_json(files(__package__).joinpath("prompts.json").read_bytes())


@dataclass(frozen=True, slots=True)
class ScimageTask(RenderedTask[ScimageDocument]):
    """A text that describes a figure, to be answered with a Python program or TikZ code that draws it."""

    #: Profile whose rules are followed; those of this task are the same for all.
    profile: Profile = Profile.PAPER
    #: Name as instances call it.
    name: str = "scimage"
    #: None: there are no reference images.
    image_metrics: tuple[str, ...] = ()
    #: The scorers, which count figures and compute indicators.
    scorers: tuple[Scorer, ...] = (ScimageScorer(),)
    #: Run the programs, and compile the TikZ code.
    services: tuple[str, ...] = ("render-python", "render-latex")
    #: A rule that has no meaning without references.
    size_policy: SizePolicy = SizePolicy.RESIZE
    _latex: LatexTask = field(default_factory=LatexTask, repr=False)

    def questions(self, instance: Instance) -> tuple[Question, ...]:
        """Return the one question of an instance, which is a text."""
        inputs: Mapping[str, Any] = instance.inputs
        sentences = PROMPTS[inputs.get("language", "en")][inputs["output"]]
        return (Question((TextPart(sentences.replace("{query}", inputs["prompt"])),)),)

    def prompt_texts(self) -> tuple[str, ...]:
        """Return the sentences around all prompts."""
        return tuple(text for texts in PROMPTS.values() for text in texts.values())

    def structure_from(self, completion: str, assets: Sequence[str] = ()) -> Structure | NoStructure:
        """Return the code in a completion, or that there is none; its kind is told by what is in it."""
        languages = {block.language for block in fenced_blocks(completion)}
        python = extract_python(completion)
        has_latex = not languages.isdisjoint(LATEX.languages) and languages.isdisjoint(PYTHON.languages)
        if isinstance(python, Structure) and output_of(python.code) != TIKZ and not has_latex:
            return python
        return self._latex.structure_from(completion, assets)

    def document(self, structure: Structure, assets: Mapping[str, bytes] | None = None) -> ScimageDocument:
        """Return the program or the document that shows a structure."""
        if output_of(structure.code) == TIKZ:
            return tikz_document(structure.code)
        return ChartProgram(structure.code)

    def request(self, document: ScimageDocument) -> RenderRequest:
        """Return how the program is run, or the document compiled."""
        if not isinstance(document, ChartProgram):
            page = PageOptions(dpi=DPI, cut_bottom=0.0, crop=Crop.INK)
            latex = LatexOptions(engine=document.engine, last_page=True, want_text=True)
            tex = LatexSource(document.source.encode("utf-8", "surrogatepass"))
            return RenderRequest(tex, RenderOptions(page=page, latex=latex))
        source = PythonSource(document.source.encode("utf-8", "surrogatepass"))
        return RenderRequest(source, RenderOptions(python=document.options))

    def repair(
        self, document: ScimageDocument, rendering: Rendering, past: Sequence[Repair] = ()
    ) -> Repaired[Any] | None:
        """Return the document after one more repair, or None if nothing helps."""
        if isinstance(document, ChartProgram):
            return repair_python(document, rendering, past)
        return repair_tikz(document, rendering, past)

    def text_for_edit(self, document: ScimageDocument, rendering: Rendering) -> str:
        """Return what scorers are to know of the figure: of a program its objects, of TikZ its text.

        Only figures of programs are blank if they have one color. A page of TikZ is as large as what is drawn
        on it, so that a black square alone is all black; the renderer refuses pages without any ink.
        """
        image = rendering.pictures[0]
        if not isinstance(document, ChartProgram):
            return RenderedFigure(page_text=image.text).to_text()
        figure = rendering.figures[0] if rendering.figures else Figure()
        return RenderedFigure(has_one_color(image.png), figure).to_text()

    def truth(self, content: Content) -> str:
        """Return no text, so that the objects of the answer are kept: there is no ground truth."""
        return ""
