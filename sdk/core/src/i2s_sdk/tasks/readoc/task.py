"""The task READOC: its prompts, and how its answers are read, for one profile.

Source: the prompts of the benchmark for its two subsets of the first version. The subset ``zenodo``, whose
prompt was not published, has that of ``arxiv``.
"""

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
from i2s_sdk.tasks.question import FilePart, ImagePart, Question, Sampling, TextPart, prompt_texts
from i2s_sdk.tasks.readoc.scorer import ReadocScorer
from i2s_sdk.tasks.structure import NoStructure, Structure
from i2s_sdk.tasks.task import Task
from i2s_wire.documents import ImageFormat, PageDrawing
from i2s_wire.metrics.profile import Profile

#: The most tokens of the completion for a page.
MAX_TOKENS = 2048
#: How the completion for a page is drawn, in both profiles. Source: the calls of models in the released code
#: of READOC. For gpt-4o-mini it leaves ``top_k`` and ``repetition_penalty`` out, which OpenAI's server lacks.
SAMPLING = Sampling(temperature=0.7, top_p=0.8, top_k=100, repetition_penalty=1.05)


def page_prompt(subset: str) -> str:
    """Return what a model is asked about a page of a document.

    Args:
        subset: Subset of the document.
    """
    texts = prompt_texts(__package__)
    return texts["github" if subset == "github" else "arxiv"]


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
class ReadocTask(Task):
    """A PDF, page by page, to be answered with Markdown."""

    #: Profile whose rules are followed.
    profile: Profile = Profile.PAPER
    #: How many pages a model is shown at a time.
    mode: PageMode = PageMode.EACH
    #: Name as instances call it.
    name: str = "readoc"
    #: How pages are drawn: 216 dpi, JPEG of quality 95, as in the benchmark.
    drawing: PageDrawing = _DRAWING
    #: How the completions for pages are drawn, as in the benchmark.
    sampling: Sampling = SAMPLING

    @property
    def scorers(self) -> tuple[Scorer, ...]:
        """The one scorer."""
        return (ReadocScorer(self.profile),)

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
        return Question((TextPart(prompt_texts(__package__)["whole"]), FilePart(self.document_of(instance))))

    def prompt_texts(self) -> tuple[str, ...]:
        """Return the texts that are the same for all instances."""
        texts = prompt_texts(__package__)
        return texts["arxiv"], texts["github"], str(self.mode)

    def join(self, completions: Sequence[str]) -> str:
        """Return the Markdown of all pages, with an empty line between two.

        Profile ``paper`` takes of each completion the answer, without reasoning and without a fence around
        it.
        """
        if self.profile is not Profile.HELM:
            completions = [
                unwrapped_markdown(read_answer_text(completion).text) for completion in completions
            ]
        return "\n\n".join(completion.strip() for completion in completions).strip()

    def structure_from(self, completion: str, assets: Sequence[str] = ()) -> Structure | NoStructure:
        """Return the answer, which is Markdown as it is, or that it is empty.

        Profile ``paper`` takes off a fence that is around all of it.
        """
        text = completion if self.profile is Profile.HELM else unwrapped_markdown(completion)
        return Structure(text) if text.strip() else NoStructure(_EMPTY)
