"""The task: its prompt, its documents and requests, for one profile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from i2s_sdk.errors import ProtocolError
from i2s_sdk.instances.images import ImageFaultError
from i2s_sdk.instances.instance import Content, Instance
from i2s_sdk.scoring.scorer import Scorer
from i2s_sdk.tasks.question import Question, image_of, texts_then_image
from i2s_sdk.tasks.repair import Repair, Repaired
from i2s_sdk.tasks.structure import NoStructure, Structure
from i2s_sdk.tasks.svg.rasters import without_rasters
from i2s_sdk.tasks.svg.reading import extract
from i2s_sdk.tasks.svg.scorer import SvgScorer, drawn_to_text
from i2s_sdk.tasks.task import RenderedTask
from i2s_wire.metrics.profile import Profile
from i2s_wire.metrics.score import SizePolicy
from i2s_wire.render.options import Crop, PageOptions, RenderOptions
from i2s_wire.render.rendering import Rendering
from i2s_wire.render.request import GenericSource, RenderRequest

PROMPT = (
    "Write an SVG image that looks exactly like this image: the same shapes, texts, colours and layout, and "
    "the same size. Use vector graphics alone: embedded raster images are not drawn. Answer with the SVG "
    "alone, in one fenced block."
)
_ENTRY = "image.svg"


@dataclass(frozen=True, slots=True)
class SvgDocument:
    """An SVG image."""

    #: What the model wrote, or the ground truth.
    code: str

    @property
    def source(self) -> str:
        """What is drawn: the code without the images that it embeds."""
        return without_rasters(self.code)


@dataclass(frozen=True, slots=True)
class SvgTask(RenderedTask[SvgDocument]):
    """An image, to be answered with SVG."""

    #: Profile whose rules are followed; those of this task are the same for all.
    profile: Profile = Profile.PAPER
    #: Name as instances call it.
    name: str = "svg"
    #: Draws the images.
    services: tuple[str, ...] = ("render-svg",)
    #: How images of different size are compared: SVG has no size in pixels of its own.
    size_policy: SizePolicy = SizePolicy.RESIZE
    #: The scorer of SVG-Bench's error and of lengths.
    scorers: tuple[Scorer, ...] = (SvgScorer(),)

    def questions(self, instance: Instance) -> tuple[Question, ...]:
        """Return the one question of an instance: the text, then its image."""
        return (texts_then_image((PROMPT,), image_of(instance)),)

    def prompt_texts(self) -> tuple[str, ...]:
        """Return the text of the question."""
        return (PROMPT,)

    def structure_from(self, completion: str, assets: Sequence[str] = ()) -> Structure | NoStructure:
        """Return the SVG in a completion, or that there is none."""
        return extract(completion)

    def document(self, structure: Structure, assets: Mapping[str, bytes] | None = None) -> SvgDocument:
        """Return the document of a structure."""
        return SvgDocument(structure.code)

    def request(self, document: SvgDocument) -> RenderRequest:
        """Return how it is drawn: the whole canvas, a pixel for each of CSS."""
        content = document.source.encode("utf-8", "surrogatepass")
        page = PageOptions(crop=Crop.NONE)
        return RenderRequest(GenericSource("svg", _ENTRY, {_ENTRY: content}), RenderOptions(page=page))

    def repair(
        self, document: SvgDocument, rendering: Rendering, past: Sequence[Repair] = ()
    ) -> Repaired[SvgDocument] | None:
        """Return None: nothing is repaired."""
        return None

    def text_for_edit(self, document: SvgDocument, rendering: Rendering) -> str:
        """Return the rendering as the scorer compares it.

        Raises:
            ProtocolError: It is no image.
        """
        try:
            return drawn_to_text(rendering.pictures[0].png, document.code)
        except ImageFaultError as error:
            raise ProtocolError(f"the image of the renderer {error}") from None

    def truth(self, content: Content) -> str | None:
        """Return the image of the instance as the scorer compares it; None if it has none."""
        return drawn_to_text(content.reference, content.structure) if content.reference else None
