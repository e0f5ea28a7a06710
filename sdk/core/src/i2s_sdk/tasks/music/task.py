"""The music task: everything the pipeline asks of it, for one profile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from i2s_sdk.instances.instance import Instance
from i2s_sdk.tasks.metrics import metrics_of_images
from i2s_sdk.tasks.music.document import LilypondDocument, repair
from i2s_sdk.tasks.music.reading import extract
from i2s_sdk.tasks.prompts import task_prompt
from i2s_sdk.tasks.question import Question, image_of, texts_then_image
from i2s_sdk.tasks.repair import Repair, Repaired
from i2s_sdk.tasks.structure import NoStructure, Structure
from i2s_sdk.tasks.task import RenderedTask
from i2s_wire.metrics.profile import Profile
from i2s_wire.metrics.score import SizePolicy
from i2s_wire.render.options import (
    BlankPage,
    Crop,
    LilypondConvert,
    LilypondOptions,
    PageOptions,
    RenderOptions,
)
from i2s_wire.render.rendering import Rendering
from i2s_wire.render.request import LilypondSource, RenderRequest
from i2s_wire.render.resources import Limits

#: Resolution of LilyPond where nobody asks for another one.
DPI = 101.0
#: Share of the page that profile ``helm`` cuts off, as it does for LaTeX.
HELM_CUT_BOTTOM = 0.2


@dataclass(frozen=True, slots=True)
class MusicTask(RenderedTask[LilypondDocument]):
    """An image of sheet music, to be answered with LilyPond; no scorer compares texts, which it lacks."""

    #: Profile whose rules are followed.
    profile: Profile = Profile.PAPER
    #: Name as instances call it.
    name: str = "music"
    #: Names of the services, of which the first renders the scores.
    services: tuple[str, ...] = ("render-lilypond",)
    #: How images of different size are compared.
    size_policy: SizePolicy = SizePolicy.PAD

    @property
    def image_metrics(self) -> tuple[str, ...]:
        """Computed from two images by the metric service, the main one first."""
        return metrics_of_images(self.profile)

    def questions(self, instance: Instance) -> tuple[Question, ...]:
        """Return the one question of an instance: the texts, then its image."""
        return (texts_then_image(task_prompt("musicsheet"), image_of(instance)),)

    def prompt_texts(self) -> tuple[str, ...]:
        """Return the texts of its question, twice: without and with assets, which change nothing."""
        return (*task_prompt("musicsheet"), *task_prompt("musicsheet"))

    def structure_from(self, completion: str, assets: Sequence[str] = ()) -> Structure | NoStructure:
        """Return the code in a completion, or that there is none."""
        return extract(completion, self.profile)

    def document(self, structure: Structure, assets: Mapping[str, bytes] | None = None) -> LilypondDocument:
        """Return the score that shows a structure."""
        return LilypondDocument(structure.code)

    def options(self) -> RenderOptions:
        """Return how a score becomes an image.

        ``paper``: page 1 without tagline and footers, cropped to ink; a blank page is no image. ``helm``:
        convert-ly must succeed, the lowest fifth of the page is cut off, a blank page is an image.
        """
        if self.profile is Profile.HELM:
            page = PageOptions(DPI, 1, 1, HELM_CUT_BOTTOM, Crop.INK, BlankPage.KEEP)
            return RenderOptions(page=page, lilypond=LilypondOptions(LilypondConvert.REQUIRED, False))
        page = PageOptions(DPI, 1, 1, 0.0, Crop.INK, BlankPage.NO_OUTPUT)
        return RenderOptions(page=page, lilypond=LilypondOptions(LilypondConvert.AUTO, True))

    def request(self, document: LilypondDocument) -> RenderRequest:
        """Return how the score is rendered; to ``helm`` a score of several pages is a failure."""
        source = LilypondSource(document.code.encode("utf-8", "surrogatepass"), document.assume_version)
        limits = Limits(pages=1) if self.profile is Profile.HELM else None
        return RenderRequest(source, self.options(), limits)

    def repair(
        self, document: LilypondDocument, rendering: Rendering, past: Sequence[Repair] = ()
    ) -> Repaired[LilypondDocument] | None:
        """Return the score after one more repair, or None if nothing helps."""
        return None if self.profile is Profile.HELM else repair(document, rendering, past)
