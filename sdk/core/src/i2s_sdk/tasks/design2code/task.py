"""The task Design2Code: everything that the pipeline asks of it, for one profile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from i2s_sdk.errors import DataError, SettingsError
from i2s_sdk.instances.images import decode_image, on_white
from i2s_sdk.instances.instance import Content, Instance
from i2s_sdk.scoring.scorer import Scorer
from i2s_sdk.settings import Settings
from i2s_sdk.tasks.design2code.released import cleaned, released_page, wrapped
from i2s_sdk.tasks.design2code.scorer import OCR_SCORER, RELEASED_SCORER
from i2s_sdk.tasks.question import Question, image_of, prompt_texts, texts_then_image
from i2s_sdk.tasks.repair import Repair, Repaired, RepairKind
from i2s_sdk.tasks.structure import NoStructure, Structure
from i2s_sdk.tasks.task import EXACT
from i2s_sdk.tasks.turn import RENDERING, Observation, ObservedImage, bounded_png
from i2s_sdk.tasks.webpage.block_match import Block
from i2s_sdk.tasks.webpage.layout import ShownPage, page_to_text
from i2s_sdk.tasks.webpage.reading import INDEX
from i2s_sdk.tasks.webpage.scorer import LayoutScorer
from i2s_sdk.tasks.webpage.site import Site, SiteStructure, site_of
from i2s_sdk.tasks.webpage.task import WebpageTask
from i2s_wire.metrics.profile import Profile
from i2s_wire.render.options import RenderOptions, SiteOptions, WindowOptions
from i2s_wire.render.rendering import Rendering

#: Names of the tasks: pages with their source, and images alone, whose blocks a program has read.
DESIGN2CODE_NAME, OCR_NAME = "design2code", "design2code_ocr"
#: The viewport in CSS pixels; an image is of the full page.
WIDTH, HEIGHT = 1280, 720
#: Name of the image of the ground truth in an observation.
REFERENCE = "reference.png"


class PromptMethod(StrEnum):
    """What the model is given: the image, or the texts of the page too."""

    DIRECT = "direct"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Design2codeTask(WebpageTask):
    """A screenshot of a page, to be answered with one HTML file."""

    #: Name as instances call it.
    name: str = DESIGN2CODE_NAME
    #: How it asks.
    method: PromptMethod = PromptMethod.DIRECT

    @property
    def image_metrics(self) -> tuple[str, ...]:
        """Those of web pages; profile ``helm`` has what the released code has, and so none."""
        return () if self.profile is Profile.HELM else ("ems", "pixel", EXACT, "ssim", "lpips", "cis")

    @property
    def scorers(self) -> tuple[Scorer, ...]:
        """The one scorer: of the layout, of the released code, or against words read in the image."""
        if self.name == OCR_NAME:
            return (OCR_SCORER,)
        return (RELEASED_SCORER,) if self.profile is Profile.HELM else (LayoutScorer(),)

    def unavailable(self) -> Mapping[str, str]:
        """Return nothing."""
        return {}

    def configured(self, settings: Settings) -> Design2codeTask:
        """Return this task with the prompt of the settings.

        Raises:
            SettingsError: There is no such prompt.
        """
        try:
            return replace(self, method=PromptMethod(settings.design2code_prompt))
        except ValueError:
            known = " or ".join(PromptMethod)
            raise SettingsError(
                f"--set design2code_prompt or I2S_DESIGN2CODE_PROMPT: {settings.design2code_prompt!r} is not "
                f"{known}"
            ) from None

    def facts(self) -> Mapping[str, str]:
        """Return what the settings chose, as facts of a run."""
        return {"design2code prompt": str(self.method)}

    def questions(self, instance: Instance) -> tuple[Question, ...]:
        """Return the one question of an instance: the text, with those of the page if chosen, then its image.

        Raises:
            DataError: The texts of the page are wanted, and the instance has none.
        """
        text = prompt_texts(__package__)[self.method]
        if self.method is PromptMethod.TEXT:
            texts = instance.inputs.get("texts")
            if texts is None:
                raise DataError(
                    instance.file,
                    0,
                    f"instance {instance.id!r} has no texts to name (design2code_prompt=text)",
                )
            text = text.replace("{texts}", "\n".join(texts))
        return (texts_then_image((text,), image_of(instance)),)

    def prompt_texts(self) -> tuple[str, ...]:
        """Return the text that is the same for all instances."""
        return (prompt_texts(__package__)[self.method],)

    @property
    def revision_texts(self) -> tuple[str, ...]:
        """The texts of further turns, as published."""
        texts = prompt_texts(__package__)
        return texts["revision"], texts["reference"], texts["current"]

    def revision(self, code: str, rendering: bytes, reference: bytes) -> Observation:
        """Return what the model is shown of its page, as published: both pages, with names."""
        request, wanted, current = self.revision_texts
        return Observation(
            (
                request.replace("{code}", code),
                wanted,
                ObservedImage(REFERENCE, bounded_png(reference)),
                current,
                ObservedImage(RENDERING, bounded_png(rendering)),
            )
        )

    def structure_from(self, completion: str, assets: Sequence[str] = ()) -> Structure | NoStructure:
        """Return the page in a completion, or why there is none; several files are a site."""
        if self.profile is Profile.HELM:
            code = cleaned(completion)
            return Structure(code) if code else NoStructure("the completion is empty")
        structure = WebpageTask.structure_from(self, completion, assets)
        if isinstance(structure, SiteStructure) and list(structure.files) == [INDEX]:
            repairs = tuple(
                repair for repair in structure.repairs if repair.kind is not RepairKind.HTML_AS_INDEX
            )
            return Structure(structure.files[INDEX], structure.origin, repairs, structure.choice)
        return structure

    def document(self, structure: Structure, assets: Mapping[str, bytes] | None = None) -> Site:
        """Return the site that shows a structure, with the assets at their names."""
        if isinstance(structure, SiteStructure):
            return site_of(structure.files, assets or {})
        code = wrapped(structure.code) if self.profile is Profile.HELM else structure.code
        return site_of({INDEX: code}, assets or {})

    def options(self) -> RenderOptions:
        """Return how a page becomes an image: all of it, as wide as the viewport."""
        return RenderOptions(window=WindowOptions(WIDTH, HEIGHT, 1.0, True), site=SiteOptions())

    def drawn(self, document: Site, rendering: Rendering) -> str:
        """Return the blocks of the page; empty if there are none."""
        if self.profile is not Profile.HELM or self.name == OCR_NAME:
            return WebpageTask.drawn(self, document, rendering)
        layout = rendering.site.layout if rendering.site else None
        if layout is None or not rendering.pictures:
            return ""
        image = on_white(decode_image(rendering.pictures[0].png))
        return page_to_text(released_page(layout, np.asarray(image)))

    def repair(
        self, document: Site, rendering: Rendering, past: Sequence[Repair] = ()
    ) -> Repaired[Site] | None:
        """Return None: no page is repaired after rendering."""
        return None

    def text_for_edit(self, document: Site, rendering: Rendering) -> str:
        """Return no text: blocks are compared."""
        return ""

    def truth(self, content: Content) -> Site | None:
        """Return the page of the ground truth, whose rendering has the blocks; None without one."""
        if content.structure is None:
            return None
        return site_of({INDEX: content.structure}, content.assets)

    def drawn_truth(self, content: Content) -> Site | str | None:
        """Return the blocks that a program has read in the image, if there is no page."""
        return read_blocks(content.target) if self.name == OCR_NAME and content.target else None


def read_blocks(target: Mapping[str, object]) -> str:
    """Return the blocks of a target as a page."""
    listed = target["blocks"]
    assert isinstance(listed, list), "its schema says so"
    blocks = tuple(
        Block(str(text).lower(), (x, y, width, height), (red, green, blue))
        for text, x, y, width, height, red, green, blue in listed
    )
    return page_to_text(ShownPage(blocks, {}))
