"""The interface of a task: everything that the pipeline asks of it.

A task starts nothing and reads nothing but its own data files. To change what a model is asked, how its
answer is read, what is repaired or what is compared, change the module of that name in its folder.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, Self, TypeVar, runtime_checkable

from i2s_sdk.instances.instance import Content, Instance
from i2s_sdk.scoring.scorer import Scorer
from i2s_sdk.settings import Settings
from i2s_sdk.tasks.question import Question, Sampling
from i2s_sdk.tasks.repair import Repair, Repaired
from i2s_sdk.tasks.structure import NoStructure, Structure
from i2s_wire.documents import PageDrawing
from i2s_wire.metrics.profile import Profile
from i2s_wire.metrics.score import SizePolicy
from i2s_wire.render.rendering import Rendering
from i2s_wire.render.request import RenderRequest


class Document(Protocol):
    """The document that is sent to a renderer, in the form in which a task repairs it."""

    @property
    def source(self) -> str:
        """Text that tells documents apart; of LaTeX and LilyPond, what the engine reads."""
        ...


D = TypeVar("D", bound=Document)

#: The share of exact matches.
EXACT = "exact"


class Task(Protocol):
    """The questions, the reading of completions and the scorers of a task, for one profile.

    Members with a value are the defaults of tasks that inherit from it: one question, whose completion is the
    answer, no rendering, no scorers, and nothing unavailable.
    """

    @property
    def name(self) -> str:
        """The name of the task in instances."""
        ...

    @property
    def profile(self) -> Profile:
        """The profile, which decides on rules."""
        ...

    @property
    def rendering(self) -> RenderedTask[Any] | None:
        """How structures become images; None for a task whose structures are not rendered."""
        return None

    @property
    def scorers(self) -> tuple[Scorer, ...]:
        """The scorers of the task, in the order shown; the metrics of images come before them."""
        return ()

    def unavailable(self) -> Mapping[str, str]:
        """Return the metrics of scorers that cannot be computed here: why, and what would mend it."""
        return {}

    def questions(self, instance: Instance) -> tuple[Question, ...]:
        """Return what the model is asked of an instance.

        Raises:
            DataError: The instance does not have what is to be asked.
        """
        ...

    def prompt_texts(self) -> tuple[str, ...]:
        """Return the texts of its questions that are the same for all instances.

        The manifest of a run has their SHA-256, so that answers to other words are not mixed with them.
        """
        ...

    def join(self, completions: Sequence[str]) -> str:
        """Return the one text that the completions of all questions of an instance are, in order."""
        (completion,) = completions
        return completion

    def structure_from(self, completion: str, assets: Sequence[str] = ()) -> Structure | NoStructure:
        """Return the structure in an answer, or that there is none.

        ``answer_reading.read_answer`` calls it with the answer within a completion: reasoning and markers of
        chat templates are left out. Profile ``helm`` gets the completion verbatim.
        """
        ...


@runtime_checkable
class ConfiguredTask(Protocol):
    """A task that settings change: what it asks, never how an answer is scored."""

    def configured(self, settings: Settings) -> Self:
        """Return this task as the settings have it.

        Raises:
            SettingsError: A setting of the task has no meaning; names it.
        """
        ...

    def facts(self) -> Mapping[str, str]:
        """Return what the settings chose, as facts of a run by name."""
        ...


@runtime_checkable
class DocumentTask(Protocol):
    """A task whose instances are documents of pages.

    Most models are shown images of the pages, which the documents service draws: ``questions`` is called with
    an instance that has ``pages``. A model that answers documents as a whole (``answers_whole``) is asked
    ``whole_question``, and nothing is drawn for it.
    """

    @property
    def drawing(self) -> PageDrawing:
        """The drawing of document pages: resolution and format."""
        ...

    def document_of(self, instance: Instance) -> Path | None:
        """Return the document of an instance; None if it is an image, which is shown as it is."""
        ...

    def whole_question(self, instance: Instance) -> Question:
        """Return the one question about all of a document, with the document as a file."""
        ...


@runtime_checkable
class SampledTask(Protocol):
    """A task whose questions have a sampling, the same for all instances."""

    @property
    def sampling(self) -> Sampling:
        """How completions are drawn, unless the user chooses a temperature."""
        ...


class RenderedTask(Task, Protocol[D]):
    """A task whose structures are rendered: documents, repairs, sizes and metrics of images."""

    @property
    def rendering(self) -> Self:
        """How structures become images: as this class says."""
        return self

    @property
    def services(self) -> tuple[str, ...]:
        """The renderers that its documents may need, such as "render-NAME".

        Which of them renders a document is said by the source of its request, see ``service_table``.
        """
        ...

    @property
    def size_policy(self) -> SizePolicy:
        """How images of different size are compared."""
        ...

    @property
    def image_metrics(self) -> tuple[str, ...]:
        """Computed from two images by the metric service, the main one first.

        Profile ``helm`` has what the released code has, which counts no exact matches. A task that pads
        images also has EMS and SSIM of the rendering in the size of the reference.
        """
        exact = () if self.profile is Profile.HELM else (EXACT,)
        pads = self.profile is not Profile.HELM and self.size_policy is SizePolicy.PAD
        ems, ssim = (("ems", "ems_scaled"), ("ssim", "ssim_scaled")) if pads else (("ems",), ("ssim",))
        return (*ems, "pixel", *exact, *ssim, "lpips", "cis")

    def document(self, structure: Structure, assets: Mapping[str, bytes] | None = None) -> D:
        """Return the document that shows a structure, with the assets at their names."""
        ...

    def request(self, document: D) -> RenderRequest:
        """Return how the document is rendered."""
        ...

    def repair(self, document: D, rendering: Rendering, past: tuple[Repair, ...]) -> Repaired[D] | None:
        """Return the document after one more repair, or None if nothing helps or enough were made."""
        ...

    def text_for_edit(self, document: D, rendering: Rendering) -> str:
        """Return the text of a rendered document that scorers compare; empty if none compares texts."""
        return ""

    def truth(self, content: Content) -> str | D | None:
        """Return the text of the ground truth that scorers compare with.

        Returns:
            The text; a document if only its rendering has the text; None if there is no ground truth, or no
            scorer compares texts.
        """
        return None

    def drawn_request(self, document: D) -> RenderRequest:
        """Return ``request``, and ask for what the engine draws, which a ``DrawnScorer`` compares."""
        return self.request(document)

    def drawn(self, document: D, rendering: Rendering) -> str:
        """Return what the engine drew, as JSON; empty if no scorer compares it."""
        return ""

    def drawn_truth(self, content: Content) -> D | str | None:
        """Return the document of the ground truth, with whose rendering ``drawn`` is compared.

        It is not asked for if ``truth`` is a document, which is rendered once for both. A text is what an
        engine would have drawn, of a ground truth that is known without one.
        """
        return None
