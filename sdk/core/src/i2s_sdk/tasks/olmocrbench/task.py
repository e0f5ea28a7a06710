"""The task olmOCR-bench: its questions, and how its answers are read, for one profile.

The prompt is this project's own: the released code has a program for each model that is asked, each with a
prompt of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from i2s_sdk.errors import DataError, UsageError
from i2s_sdk.instances.instance import Instance
from i2s_sdk.reading import unwrapped_markdown
from i2s_sdk.reading.wrappers import PAGE_FENCES
from i2s_sdk.scoring.scorer import Scorer
from i2s_sdk.tasks.olmocrbench.scorer import PageTestsScorer
from i2s_sdk.tasks.question import FilePart, ImagePart, Question, TextPart, prompt_texts
from i2s_sdk.tasks.structure import NoStructure, Structure
from i2s_sdk.tasks.task import Task
from i2s_wire.documents import ImageFormat, PageDrawing
from i2s_wire.metrics.profile import Profile

#: The most tokens of the completion for a page.
MAX_TOKENS = 8192
#: Names of the inputs: the PDF, and the number of the page in it, which is 1 if it is not given.
DOCUMENT, PAGE = "document", "page"

_DRAWING = PageDrawing(dpi=150.0, format=ImageFormat.JPEG, quality=95)


@dataclass(frozen=True, slots=True)
class OlmOcrBenchTask(Task):
    """A page of a PDF, to be answered with Markdown, on which tests are run."""

    #: Profile whose rules are followed.
    profile: Profile = Profile.PAPER
    #: Name as instances call it.
    name: str = "olmocrbench"
    #: How pages are drawn: 150 dpi, JPEG of quality 95.
    drawing: PageDrawing = _DRAWING

    @property
    def scorers(self) -> tuple[Scorer, ...]:
        """The one scorer."""
        return (PageTestsScorer(self.profile),)

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
        """Return the one question: the text, then the page.

        Raises:
            UsageError: The pages were not drawn.
            DataError: The document has no such page.
        """
        number = int(instance.inputs.get(PAGE, 1))
        if not instance.pages:
            raise UsageError(
                f"instance {instance.id!r} is asked about a page, which is not drawn here; "
                "`i2s-sdk evaluate` and `i2s-sdk generate` draw it"
            )
        if number > len(instance.pages):
            document = self.document_of(instance)
            raise DataError(
                document, 0, f"has {len(instance.pages)} pages, and instance {instance.id!r} is page {number}"
            )
        text = TextPart(prompt_texts(__package__)["page"])
        return (Question((text, ImagePart(instance.pages[number - 1])), max_tokens=MAX_TOKENS),)

    def whole_question(self, instance: Instance) -> Question:
        """Return the question of a model that reads the PDF itself.

        Raises:
            DataError: The instance has no document.
        """
        return Question((TextPart(prompt_texts(__package__)["whole"]), FilePart(self.document_of(instance))))

    def prompt_texts(self) -> tuple[str, ...]:
        """Return the text that is the same for all instances."""
        return (prompt_texts(__package__)["page"],)

    def structure_from(self, completion: str, assets: Sequence[str] = ()) -> Structure | NoStructure:
        """Return the answer, which is Markdown as it is, or that it is empty.

        Profile ``paper`` takes off what is around all of it: a fence, JSON, the front matter of olmOCR.
        """
        text = completion if self.profile is Profile.HELM else unwrapped_markdown(completion, PAGE_FENCES)
        return Structure(text) if text.strip() else NoStructure("the answer is empty")
