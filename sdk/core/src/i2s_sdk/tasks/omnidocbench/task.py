"""The task OmniDocBench: its prompts, and how its answers are read, for one profile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from i2s_sdk.errors import DataError
from i2s_sdk.instances.instance import Instance
from i2s_sdk.reading import read_answer_text, unwrapped_markdown
from i2s_sdk.reading.wrappers import PAGE_FENCES
from i2s_sdk.scoring.scorer import Scorer
from i2s_sdk.tasks.omnidocbench.scorer import OmniDocBenchScorer
from i2s_sdk.tasks.question import FilePart, ImagePart, Question, TextPart, image_of, prompt_texts
from i2s_sdk.tasks.structure import NoStructure, Structure
from i2s_sdk.tasks.task import Task
from i2s_wire.documents import ImageFormat, PageDrawing
from i2s_wire.metrics.profile import Profile

#: The most tokens of the completion for a page.
MAX_TOKENS = 8192
#: Name of the input that is a PDF of one page; pages are images otherwise.
DOCUMENT = "document"

_DRAWING = PageDrawing(dpi=200.0, format=ImageFormat.JPEG, quality=95)
_EMPTY = "the answer is empty"


@dataclass(frozen=True, slots=True)
class OmniDocBenchTask(Task):
    """A page of a document, to be answered with Markdown."""

    #: Profile whose rules are followed.
    profile: Profile = Profile.PAPER
    #: Name as instances call it.
    name: str = "omnidocbench"
    #: How pages of PDF documents are drawn.
    drawing: PageDrawing = _DRAWING

    @property
    def scorers(self) -> tuple[Scorer, ...]:
        """The one scorer."""
        return (OmniDocBenchScorer(self.profile),)

    def document_of(self, instance: Instance) -> Path | None:
        """Return the PDF of an instance; None if it is an image.

        Raises:
            DataError: It has neither.
        """
        document = instance.files.get(DOCUMENT)
        if document is None and instance.image is None:
            raise DataError(instance.file, 0, f"instance {instance.id!r} has neither image nor document")
        return document

    def questions(self, instance: Instance) -> tuple[Question, ...]:
        """Return what the model is asked about the image of a page.

        Raises:
            DataError: The instance has no page to show.
        """
        pages = instance.pages or (image_of(instance),)
        if len(pages) > 1:
            raise DataError(instance.file, 0, f"the document of instance {instance.id!r} has several pages")
        text = TextPart(prompt_texts(__package__)["page"])
        return (Question((text, ImagePart(pages[0])), max_tokens=MAX_TOKENS),)

    def whole_question(self, instance: Instance) -> Question:
        """Return the question of a model that reads the file of the page itself.

        Raises:
            DataError: The instance has no page to show.
        """
        document = self.document_of(instance)
        if document is None:
            return self.questions(instance)[0]
        return Question((TextPart(prompt_texts(__package__)["document"]), FilePart(document)))

    def prompt_texts(self) -> tuple[str, ...]:
        """Return the texts that are the same for all instances."""
        return (prompt_texts(__package__)["page"],)

    def join(self, completions: Sequence[str]) -> str:
        """Return the Markdown of the page.

        Profile ``paper`` takes of a completion the answer, without reasoning.
        """
        (completion,) = completions
        return completion if self.profile is Profile.HELM else read_answer_text(completion).text

    def structure_from(self, completion: str, assets: Sequence[str] = ()) -> Structure | NoStructure:
        """Return the answer, which is Markdown as it is, or that it is empty.

        Profile ``paper`` takes off what is around all of it: a fence, JSON, the front matter of olmOCR.
        """
        text = completion if self.profile is Profile.HELM else unwrapped_markdown(completion, PAGE_FENCES)
        return Structure(text) if text.strip() else NoStructure(_EMPTY)
