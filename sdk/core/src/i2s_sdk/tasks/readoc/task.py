"""The task READOC: what a model is asked about a document and how its answers are read, for one profile."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from i2s_sdk.errors import DataError, SettingsError, UsageError
from i2s_sdk.instances.instance import Instance
from i2s_sdk.reading import read_answer_text, unwrapped_markdown
from i2s_sdk.scoring.scorer import Scorer
from i2s_sdk.settings import Settings
from i2s_sdk.tasks.question import FilePart, ImagePart, Question, Sampling, TextPart
from i2s_sdk.tasks.readoc.prompts import MAX_TOKENS, SAMPLING, page_prompt, prompt_texts
from i2s_sdk.tasks.readoc.scorer import ReadocScorer
from i2s_sdk.tasks.structure import NoStructure, Structure
from i2s_wire.documents import ImageFormat, PageDrawing
from i2s_wire.metrics.profile import Profile

#: Name of the input that is the PDF.
DOCUMENT = "document"
#: The most pages of a document that are shown in one request.
PAGES_TOGETHER = 5

_DRAWING = PageDrawing(dpi=216.0, format=ImageFormat.JPEG, quality=95)
_EMPTY = "the answer is empty"


class PageMode(enum.StrEnum):
    """How many pages a model is shown at a time."""

    EACH = "each"
    TOGETHER = "together"


@dataclass(frozen=True, slots=True)
class ReadocTask:
    """A PDF, page by page, to be answered with Markdown.

    Attributes:
        profile: Profile whose rules are followed.
        mode: How many pages a model is shown at a time.
        name: Name as instances call it.
        rendering: None: answers are not rendered.
        drawing: How pages are drawn: 216 dpi, JPEG of quality 95, as in the benchmark.
        sampling: How the completions for pages are drawn, as in the benchmark.
    """

    profile: Profile = Profile.PAPER
    mode: PageMode = PageMode.EACH
    name: str = "readoc"
    rendering: None = None
    drawing: PageDrawing = _DRAWING
    sampling: Sampling = SAMPLING

    @property
    def scorers(self) -> tuple[Scorer, ...]:
        """The one scorer."""
        return (ReadocScorer(self.profile),)

    def unavailable(self) -> Mapping[str, str]:
        """Return nothing: all metrics can be computed."""
        return {}

    def configured(self, settings: Settings) -> ReadocTask:
        """Return this task with the mode of the settings.

        Raises:
            SettingsError: There is no such mode.
        """
        try:
            return replace(self, mode=PageMode(settings.readoc_pages))
        except ValueError:
            known = " or ".join(PageMode)
            raise SettingsError(
                f"--set readoc_pages or I2S_READOC_PAGES: {settings.readoc_pages!r} is not {known}"
            ) from None

    def facts(self) -> Mapping[str, str]:
        """Return what the settings chose, as facts of a run."""
        return {"readoc pages in a request": str(self.mode)}

    def document_of(self, instance: Instance) -> Path:
        """Return the PDF of an instance.

        Raises:
            DataError: It has none.
        """
        document = instance.files.get(DOCUMENT)
        if document is None:
            raise DataError(instance.file, 0, f"instance {instance.id!r} has no document to show")
        return document

    def questions(self, instance: Instance) -> tuple[Question, ...]:
        """Return what the model is asked about the drawn pages of a document.

        In mode ``together`` a document of more than five pages is shown in several requests.

        Raises:
            UsageError: The pages were not drawn.
        """
        pages, text = instance.pages, TextPart(page_prompt(instance.subset))
        if not pages:
            raise UsageError(
                f"instance {instance.id!r} is asked about page by page, and its pages are not drawn here; "
                "`i2s-sdk evaluate` and `i2s-sdk generate` draw them"
            )
        if self.mode is PageMode.EACH:
            return tuple(
                Question(
                    (text, ImagePart(page)),
                    max_tokens=MAX_TOKENS,
                    sampling=self.sampling,
                    name=f"page-{number}",
                )
                for number, page in enumerate(pages, start=1)
            )
        if len(pages) <= PAGES_TOGETHER:
            return (Question((text, *map(ImagePart, pages)), max_tokens=MAX_TOKENS, sampling=self.sampling),)
        groups = {
            first: pages[first : first + PAGES_TOGETHER] for first in range(0, len(pages), PAGES_TOGETHER)
        }
        return tuple(
            Question(
                (text, *map(ImagePart, group)),
                max_tokens=MAX_TOKENS,
                sampling=self.sampling,
                name=f"pages-{first + 1}-{first + len(group)}",
            )
            for first, group in groups.items()
        )

    def whole_question(self, instance: Instance) -> Question:
        """Return the question of a model that reads the PDF itself.

        Raises:
            DataError: The instance has no document.
        """
        return Question((TextPart(prompt_texts()["whole"]), FilePart(self.document_of(instance))))

    def prompt_texts(self) -> tuple[str, ...]:
        """Return the texts that are the same for all instances."""
        texts = prompt_texts()
        return texts["arxiv"], texts["github"], str(self.mode)

    def join(self, completions: Sequence[str]) -> str:
        """Return the Markdown of all pages, with an empty line between two.

        Profile ``paper`` takes of each completion the answer, without reasoning and without a fence around
        it.
        """
        if self.profile is not Profile.HELM:
            completions = [unwrapped_markdown(read_answer_text(one).text) for one in completions]
        return "\n\n".join(one.strip() for one in completions).strip()

    def structure_from(self, completion: str, assets: Sequence[str] = ()) -> Structure | NoStructure:
        """Return the answer, which is Markdown as it is, or that it is empty.

        Profile ``paper`` takes off a fence that is around all of it.
        """
        text = completion if self.profile is Profile.HELM else unwrapped_markdown(completion)
        return Structure(text) if text.strip() else NoStructure(_EMPTY)
