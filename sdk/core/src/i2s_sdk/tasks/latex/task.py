"""The LaTeX task: everything the pipeline asks of it, for one profile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from i2s_sdk.instances.instance import Content, Instance
from i2s_sdk.scoring.drawn_glyphs import CdmScorer, GlyphF1Scorer
from i2s_sdk.scoring.edit import EditScorer, TexEditScorer
from i2s_sdk.scoring.page_tokens import drawn_json
from i2s_sdk.scoring.scorer import Scorer
from i2s_sdk.tasks.latex import helm, paper_repair
from i2s_sdk.tasks.latex.document import LatexDocument
from i2s_sdk.tasks.latex.helm import HelmDocument, helm_document
from i2s_sdk.tasks.latex.paper_document import PaperDocument, paper_document
from i2s_sdk.tasks.latex.reading import extract
from i2s_sdk.tasks.latex.tables import TableTedsScorer
from i2s_sdk.tasks.question import Question, image_of, task_prompt, texts_then_image
from i2s_sdk.tasks.repair import Repair, Repaired
from i2s_sdk.tasks.structure import NoStructure, Structure
from i2s_sdk.tasks.task import RenderedTask
from i2s_wire.metrics.profile import Profile
from i2s_wire.metrics.score import SizePolicy
from i2s_wire.render.options import BlankPage, Crop, LatexOptions, PageOptions, RenderOptions
from i2s_wire.render.rendering import Rendering, Verdict
from i2s_wire.render.request import LatexSource, RenderRequest

#: Resolution of the references.
DPI = 200.0
#: Share of the page that was cut off the references, to be rid of the page number.
CUT_BOTTOM = 0.2


@dataclass(frozen=True, slots=True)
class LatexTask(RenderedTask[LatexDocument]):
    """An image of LaTeX output, to be answered with LaTeX."""

    #: Profile whose rules are followed.
    profile: Profile = Profile.PAPER
    #: Name as instances call it.
    name: str = "latex"
    #: Names of the services, of which the first renders the documents.
    services: tuple[str, ...] = ("render-latex",)
    #: How images of different size are compared.
    size_policy: SizePolicy = SizePolicy.PAD

    @property
    def scorers(self) -> tuple[Scorer, ...]:
        """The scorers that compare texts, and what is drawn, with those of the ground truth.

        Profile ``helm`` has what the released code has.
        """
        edit = EditScorer(self.profile)
        if self.profile is Profile.HELM:
            return (edit,)
        return (edit, TexEditScorer(), GlyphF1Scorer(), CdmScorer(), TableTedsScorer())

    def questions(self, instance: Instance) -> tuple[Question, ...]:
        """Return the one question of an instance: the texts, then its image."""
        return (texts_then_image(task_prompt("latex"), image_of(instance)),)

    def prompt_texts(self) -> tuple[str, ...]:
        """Return the texts of its question, twice: without and with assets, which change nothing."""
        return (*task_prompt("latex"), *task_prompt("latex"))

    def structure_from(self, completion: str, assets: Sequence[str] = ()) -> Structure | NoStructure:
        """Return the code in a completion, or that there is none."""
        return extract(completion, self.profile)

    def document(self, structure: Structure, assets: Mapping[str, bytes] | None = None) -> LatexDocument:
        """Return the document that shows a structure."""
        return (
            helm_document(structure.code) if self.profile is Profile.HELM else paper_document(structure.code)
        )

    def page(self) -> PageOptions:
        """Return how the page becomes an image: its first, 200 dpi, foot cut off, cropped to ink."""
        blank = BlankPage.KEEP if self.profile is Profile.HELM else BlankPage.NO_OUTPUT
        return PageOptions(
            dpi=DPI, first_page=1, page_count=1, cut_bottom=CUT_BOTTOM, crop=Crop.INK, blank_page=blank
        )

    def request(self, document: LatexDocument) -> RenderRequest:
        """Return how the document is rendered."""
        source = LatexSource(document.source.encode("utf-8", "surrogatepass"))
        return RenderRequest(source, RenderOptions(page=self.page()))

    @property
    def max_repairs(self) -> int:
        """The most repairs of one document."""
        return helm.MAX_REPAIRS if self.profile is Profile.HELM else paper_repair.MAX_REPAIRS

    def repair(
        self, document: LatexDocument, rendering: Rendering, past: Sequence[Repair] = ()
    ) -> Repaired[LatexDocument] | None:
        """Return the document after a repair that answers its first error, or None if nothing helps.

        Args:
            document: Document as it was refused.
            rendering: Rendering with the error; only COMPILE_ERROR is repaired.
            past: Repairs that led to ``document``.

        Raises:
            TypeError: The document is not one of this task.
        """
        error = rendering.error
        if rendering.verdict is not Verdict.COMPILE_ERROR or error is None or len(past) >= self.max_repairs:
            return None
        match document:
            case HelmDocument():
                replaced = helm.repair(document, error)
                return Repaired(replaced.document, replaced.repair) if replaced else None
            case PaperDocument():
                mended = paper_repair.repair(document, error, past)
                return Repaired(mended.document, mended.repair) if mended else None
        raise TypeError(f"a LaTeX task cannot repair a {type(document).__name__}")

    def text_for_edit(self, document: LatexDocument, rendering: Rendering) -> str:
        """Return the text of a rendered document that the metric ``edit`` compares."""
        return document.text

    def truth(self, content: Content) -> str | LatexDocument | None:
        """Return the text of the ground truth that ``edit`` compares with, or None if there is none.

        Profile ``helm`` prefers the text that the data set gives; ``paper`` never needs it unless there is
        no structure.
        """
        own = self.document(Structure(content.structure)).text if content.structure else None
        return (content.text or own) if self.profile is Profile.HELM else (own or content.text)

    def drawn_request(self, document: LatexDocument) -> RenderRequest:
        """Return how the document is rendered, with the objects that can be seen on its page."""
        request = self.request(document)
        return replace(request, options=replace(request.options, latex=LatexOptions(want_objects=True)))

    def drawn(self, document: LatexDocument, rendering: Rendering) -> str:
        """Return the objects of the page as JSON."""
        return drawn_json(rendering.pictures[0].objects) if rendering.pictures else ""

    def drawn_truth(self, content: Content) -> LatexDocument | None:
        """Return the document of the ground truth, or None if there is none."""
        return self.document(Structure(content.structure)) if content.structure else None
